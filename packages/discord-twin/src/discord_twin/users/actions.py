"""Acting as users: type, write, react, vote, press a button, use a command, fill in a modal.

Users have no rate limits, and they can only do what a client offers: anything else raises `ActionUnavailable`.
Their actions reach the bot through the gateway, as they would from Discord.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..request_log import TypingCall
from ..rest.allowed_mentions import record_pings
from ..state import message_changes as changes
from ..state.enums import InteractionType, MessageFlag, MessageType
from ..state.message_serializers import serialize_message, serialize_snapshot
from ..state.models import Channel, Draft, Interaction, Json, Message, User
from ..state.permissions import USER_INSTALL, Permission
from ..state.serializers import serialize_channel, serialize_member, serialize_user
from ..state.state import Event
from ..validation.messages import CUSTOM_EMOJI, is_unicode_emoji
from .fake_user import ActionUnavailable, make_attachment, need_right, need_to_write, with_mentions
from .interactions import (
    Resolved,
    choose,
    context_of,
    fill_modal,
    fill_options,
    find_command,
    find_component,
    owners_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..context import Context
    from ..state.models import Application

_SLASH, _ON_USER, _ON_MESSAGE = 1, 2, 3
# Nitro users may write 4 000 characters, so bots must expect them.
_MAX_TEXT_CHARS = 4000
# JavaScript clients read numbers up to 2^53 exactly.
_CLIENT_BITS = (1 << 53) - 1


class UserActions:
    """The actions of all users of one twin."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def _channel_of(self, message: Message) -> Channel:
        channel = self._context.state.channels.get(message.channel_id)
        if channel is None or message.id not in channel.messages:
            raise ActionUnavailable("the message is gone")
        return channel

    # Messages

    def say(
        self,
        channel: Channel,
        user: User,
        text: str = "",
        *,
        reply_to: Message | None = None,
        files: dict[str, bytes] | None = None,
        stickers: Sequence[int] = (),
        silent: bool = False,
    ) -> Message:
        """Write a message; mentions in it are read as Discord's client writes them."""
        need_to_write(self._context.state, user, channel)
        if len(text) > _MAX_TEXT_CHARS:
            raise ActionUnavailable(f"a user can write at most {_MAX_TEXT_CHARS} characters at once")
        draft = Draft(
            content=text,
            attachments=tuple(
                make_attachment(self._context, name, content) for name, content in (files or {}).items()
            ),
            flags=MessageFlag.SUPPRESS_NOTIFICATIONS if silent else MessageFlag(0),
            sticker_ids=tuple(stickers),
            reply_to=reply_to,
            reply_ids=(channel.id, reply_to.id) if reply_to else None,
        )
        return self._post(channel, user, draft, MessageType.REPLY if reply_to else MessageType.DEFAULT)

    def _post(self, channel: Channel, user: User, draft: Draft, kind: MessageType) -> Message:
        message = self._context.state.post(
            channel, user, with_mentions(self._context, channel, draft), type_=kind
        )
        record_pings(self._context, channel, message)
        return message

    def speak(self, channel: Channel, user: User, audio: bytes, seconds: float) -> Message:
        """Send a voice note."""
        need_to_write(self._context.state, user, channel)
        need_right(self._context.state, user, channel, Permission.SEND_VOICE_MESSAGES, "send voice notes")
        file = make_attachment(self._context, "voice-message.ogg", audio, duration=seconds)
        draft = Draft(attachments=(file,), flags=MessageFlag.IS_VOICE_MESSAGE)
        return self._post(channel, user, draft, MessageType.DEFAULT)

    def forward(self, message: Message, channel: Channel, user: User) -> Message:
        """Forward a message to another channel, as it is now."""
        need_to_write(self._context.state, user, channel)
        source = self._channel_of(message)
        snapshot = serialize_snapshot(self._context.state, message)
        draft = Draft(flags=MessageFlag.HAS_SNAPSHOT, snapshot=snapshot, reply_ids=(source.id, message.id))
        return self._post(channel, user, draft, MessageType.DEFAULT)

    def ask(
        self, channel: Channel, user: User, question: str, answers: Sequence[str], *, hours: int = 24
    ) -> Message:
        """Start a poll."""
        need_to_write(self._context.state, user, channel)
        need_right(self._context.state, user, channel, Permission.SEND_POLLS, "start polls")
        poll = {
            "question": {"text": question},
            "answers": [{"poll_media": {"text": answer}} for answer in answers],
            "duration": hours,
        }
        return self._post(channel, user, Draft(poll=poll), MessageType.DEFAULT)

    def type(self, channel: Channel, user: User) -> None:
        """Be seen typing, for ten seconds or until the message is there."""
        need_to_write(self._context.state, user, channel)
        state, now = self._context.state, self._context.state.now()
        self._context.log.typing.append(TypingCall(now, channel.id, user.id))
        payload: Json = {"channel_id": str(channel.id), "user_id": str(user.id), "timestamp": int(now)}
        if channel.guild_id is not None:
            member = state.guilds[channel.guild_id].members[user.id]
            payload |= {"guild_id": str(channel.guild_id), "member": serialize_member(member)}
        state.dispatch(Event("TYPING_START", payload, channel.guild_id, channel))

    def edit(self, message: Message, text: str) -> None:
        """Change the text of a message."""
        channel = self._channel_of(message)
        # Mentions follow from the new text.
        draft = replace(message.draft, content=text, mentions=(), mention_roles=())
        self._context.state.edit(channel, message, with_mentions(self._context, channel, draft))

    def delete(self, message: Message) -> None:
        """Delete a message, as its author or a moderator."""
        self._context.state.delete(self._context.state.channels[message.channel_id], message)

    # Reactions, votes, pins and threads

    def react(self, message: Message, emoji: str, user: User, *, on: bool = True) -> None:
        """React with a character or `name:id`, or take the reaction back."""
        channel, custom = self._channel_of(message), CUSTOM_EMOJI.fullmatch(emoji)
        key = f"{custom[1]}:{custom[2]}" if custom else emoji
        if not custom and not is_unicode_emoji(emoji):
            raise ActionUnavailable(f"{emoji!r} is no emoji")
        if not on:
            changes.remove_reaction(self._context.state, channel, message, user, key)
            return
        # Joining an existing reaction needs no permission.
        right = Permission.VIEW_CHANNEL if key in message.reactions else Permission.ADD_REACTIONS
        need_right(self._context.state, user, channel, right, "react")
        changes.add_reaction(self._context.state, channel, message, user, key)

    def vote(self, message: Message, answer: int, user: User, *, on: bool = True) -> None:
        """Vote in a poll; answers are counted from 1."""
        channel, poll = self._channel_of(message), message.draft.poll
        if poll is None or not 1 <= answer <= len(poll["answers"]):
            raise ActionUnavailable(f"there is no answer {answer} to vote for")
        if message.poll_ended:
            raise ActionUnavailable("the poll is over")
        changes.vote(self._context.state, channel, message, user, answer, on=on)

    def pin(self, message: Message, user: User) -> None:
        """Pin a message."""
        channel = self._channel_of(message)
        need_right(self._context.state, user, channel, Permission.PIN_MESSAGES, "pin")
        changes.pin(self._context.state, channel, message, user)

    def start_thread(
        self, channel: Channel, user: User, name: str, *, message: Message | None = None, text: str = ""
    ) -> Channel:
        """Start a thread, at a message or by itself; in a forum, a post with its first words."""
        state = self._context.state
        if channel.is_forum:
            need_right(state, user, channel, Permission.SEND_MESSAGES, "post")
            if not text:
                raise ActionUnavailable("a post begins with a message")
            thread = state.add_thread(channel, name, user)
            self.say(thread, user, text)
            return thread
        need_right(state, user, channel, Permission.CREATE_PUBLIC_THREADS, "start threads")
        if message is not None and message.thread_id is not None:
            raise ActionUnavailable("the message has a thread already")
        thread = state.add_thread(channel, name, user, message)
        changes.announce_thread(state, channel, thread, user, message)
        if text:
            self.say(thread, user, text)
        return thread

    # Interactions

    def press(
        self, message: Message, custom_id: str, user: User, *, values: Sequence[Any] | None = None
    ) -> Interaction:
        """Press a button or choose from a menu of a message."""
        channel = self._channel_of(message)
        if message.is_ephemeral and message.interaction is not None and message.interaction.user is not user:
            raise ActionUnavailable(f"{user.name} does not see this message")
        component = find_component(message.draft.components, custom_id)
        resolved = Resolved(self._context, channel, user)
        said = choose(component, values, resolved, self._context.state)
        if resolved.shape:
            said["resolved"] = resolved.shape
        # The application that gets the press: of the command, the author or the webhook.
        owner = message.interaction.application_id if message.interaction else message.author.id
        if message.webhook is not None and message.webhook.application_id:
            owner = message.webhook.application_id
        application = self._context.state.applications[owner]
        shape = {"message": serialize_message(self._context.state, message)}
        return self._interact(
            application, InteractionType.COMPONENT, channel, user, said, shape, message=message
        )

    def submit(self, modal: Interaction, user: User, values: dict[str, Any]) -> Interaction:
        """Fill in the modal that a bot answered an interaction with; fields left out keep what they show.

        Texts are `str`; menus, checkbox groups and uploads are lists, of files as `(name, content)`; a radio
        group is the value picked, a checkbox is true or false.
        """
        shown: Json = (modal.callback or {}).get("data") or {}
        # Callback type 9 is a modal.
        if (modal.callback or {}).get("type") != 9:
            raise ActionUnavailable("the bot has not answered with a modal")
        state = self._context.state
        channel = state.channels[modal.channel_id]
        resolved = Resolved(self._context, channel, user)
        said = fill_modal(shown, values, resolved, state)
        if resolved.shape:
            said["resolved"] = resolved.shape
        application = state.applications[modal.application_id]
        extra = {"message": serialize_message(state, modal.message)} if modal.message is not None else None
        return self._interact(
            application,
            InteractionType.MODAL,
            channel,
            user,
            said,
            extra,
            message=modal.message,
            opened_by=modal,
        )

    def slash(self, channel: Channel, user: User, name: str, /, **options: object) -> Interaction:
        """Use a slash command; `name` may be `group sub` or `group sub command`.

        A file among the options is a pair of its name and its content.
        """
        application, said = self._call(channel, user, name, options)
        return self._interact(application, InteractionType.COMMAND, channel, user, said, name=name)

    def complete(
        self, channel: Channel, user: User, name: str, typing: str, /, **options: object
    ) -> Interaction:
        """Type into the option `typing` of a slash command, so that the bot suggests values for it."""
        application, said = self._call(channel, user, name, options, typing)
        return self._interact(application, InteractionType.AUTOCOMPLETE, channel, user, said, name=name)

    def _call(
        self,
        channel: Channel,
        user: User,
        name: str,
        options: dict[str, object],
        typing: str | None = None,
    ) -> tuple[Application, Json]:
        # Groups and sub-commands are options of the first word.
        words = name.split()
        application, command = find_command(self._context, channel, user, words[0], _SLASH)
        resolved = Resolved(self._context, channel, user)
        filled = fill_options(command, words[1:], options, resolved, typing=typing)
        said: Json = {"id": command["id"], "name": command["name"], "type": _SLASH, "options": filled}
        return application, self._named(said, command, resolved)

    def _named(self, said: Json, command: Json, resolved: Resolved) -> Json:
        if resolved.shape:
            said["resolved"] = resolved.shape
        if "guild_id" in command:
            said["guild_id"] = command["guild_id"]
        return said

    def menu(self, target: Message | User, user: User, name: str, channel: Channel) -> Interaction:
        """Choose a command from the menu of a message or a user."""
        type_ = _ON_MESSAGE if isinstance(target, Message) else _ON_USER
        application, command = find_command(self._context, channel, user, name, type_)
        resolved = Resolved(self._context, channel, user)
        target_id = resolved.add(target)
        said: Json = {"id": command["id"], "name": name, "type": type_, "target_id": target_id}
        said = self._named(said, command, resolved)
        return self._interact(application, InteractionType.COMMAND, channel, user, said, name=name)

    def _interact(
        self,
        application: Application,
        kind: InteractionType,
        channel: Channel,
        user: User,
        said: Json,
        extra: Json | None = None,
        **kept: Any,  # noqa: ANN401 - fields of Interaction
    ) -> Interaction:
        state = self._context.state
        made = state.make_id()
        payload = {
            **self._about(application, channel, user),
            **_owned(kept.get("message"), kept.get("opened_by")),
            "type": int(kind),
            "data": said,
            **(extra or {}),
        }
        payload |= {"id": str(made), "token": state.make_secret(made)}
        interaction = Interaction(
            made, payload["token"], application.id, kind, channel.id, user, state.now(), payload, **kept
        )
        state.remember_interaction(interaction)
        event = Event("INTERACTION_CREATE", payload, channel.guild_id, channel, application_id=application.id)
        state.dispatch(event)
        return interaction

    def _about(self, application: Application, channel: Channel, user: User) -> Json:
        state = self._context.state
        about: Json = {
            "application_id": str(application.id),
            "channel_id": str(channel.id),
            "channel": {
                **serialize_channel(channel),
                "permissions": str(int(state.permissions(user, channel))),
            },
            "version": 1,
            "locale": user.locale,
            "app_permissions": str(int(self._granted(application, channel)) & _CLIENT_BITS),
            "entitlements": [],
            "entitlement_sku_ids": [],
            "attachment_size_limit": self._context.options.file_limit,
            "authorizing_integration_owners": owners_of(state, application, channel, user),
            "context": context_of(application, channel),
        }
        if channel.guild_id is None:
            return {**about, "user": serialize_user(user)}
        guild = state.guilds[channel.guild_id]
        granted = str(int(state.permissions(user, channel)) & _CLIENT_BITS)
        about |= {"guild_id": str(guild.id), "guild_locale": guild.locale}
        about["guild"] = {"id": str(guild.id), "locale": guild.locale, "features": []}
        return {**about, "member": {**serialize_member(guild.members[user.id]), "permissions": granted}}

    def _granted(self, application: Application, channel: Channel) -> Permission:
        """Return the permissions of the application in this channel, also where its bot is no member."""
        return self._context.state.permissions(application.user, channel) or USER_INSTALL


def _owned(message: Message | None, opened_by: Interaction | None) -> Json:
    """Return the owners of the command that created a button or a modal."""
    first = opened_by or (message.interaction if message is not None else None)
    return {} if first is None else {"authorizing_integration_owners": first.owners}

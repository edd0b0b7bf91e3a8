"""Acting as people: write, edit, delete, press a button, use a slash command.

People are bound by nothing that bots are: no rate limits, no permissions. What they do reaches the bot
through the gateway, as it would from Discord.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from streamcord._shared.image_kinds import image_size

from .rest.allowed_mentions import scan_mentions
from .rest.message_create import say_pings
from .rest.validation import safe_filename
from .state.message_shapes import attachment_shape, message_shape
from .state.model import (
    Attachment,
    Channel,
    ChannelType,
    Draft,
    Interaction,
    InteractionType,
    Json,
    Message,
    MessageType,
    Role,
    User,
)
from .state.shapes import channel_shape, member_shape, role_shape, user_shape
from .state.state import Event

if TYPE_CHECKING:
    from .state.model import Application
    from .world import World

__all__ = ["People"]

_SLASH, _ON_MESSAGE = 1, 3
_SUB_COMMAND, _GROUP = 1, 2
_STRING, _INTEGER, _BOOLEAN, _USER, _CHANNEL, _ROLE, _NUMBER = 3, 4, 5, 6, 7, 8, 10


class People:
    """What people do in one world."""

    def __init__(self, world: World) -> None:
        self._world = world

    # Messages

    def say(
        self,
        channel: Channel,
        user: User,
        text: str,
        *,
        reply_to: Message | None = None,
        files: dict[str, bytes] | None = None,
    ) -> Message:
        """Write a message; mentions in it are read as Discord's client writes them."""
        state = self._world.state
        draft = Draft(
            content=text,
            attachments=tuple(self._attach(name, content) for name, content in (files or {}).items()),
            reply_to=reply_to,
            reply_ids=(channel.id, reply_to.id) if reply_to else None,
        )
        draft = self._with_mentions(channel, draft)
        kind = MessageType.REPLY if reply_to else MessageType.DEFAULT
        message = state.post(channel, user, draft, type_=kind)
        say_pings(self._world, channel, message)
        return message

    def _with_mentions(self, channel: Channel, draft: Draft) -> Draft:
        said = scan_mentions(draft.content, self._world.switches)
        users = [user_id for user_id in said.users if user_id in self._world.state.users]
        target = draft.reply_to.author if draft.reply_to else None
        if target is not None and target.id in self._world.state.users and target.id not in users:
            users.append(target.id)
        guild = self._world.state.guilds.get(channel.guild_id or 0)
        roles = [role_id for role_id in said.roles if guild and role_id in guild.roles]
        return replace(draft, mentions=tuple(users), mention_roles=tuple(roles))

    def _attach(self, name: str, content: bytes) -> Attachment:
        width, height = image_size(content) or (None, None)
        kind = "image/png" if width else "application/octet-stream"
        return Attachment(
            self._world.state.make_id(), safe_filename(name), content, kind, None, width, height
        )

    def edit(self, message: Message, text: str) -> None:
        """Change the text of a message."""
        channel = self._world.state.channels[message.channel_id]
        draft = replace(message.draft, content=text, mentions=(), mention_roles=())
        self._world.state.edit(channel, message, self._with_mentions(channel, draft))

    def delete(self, message: Message) -> None:
        """Delete a message, as its author or a moderator."""
        self._world.state.delete(self._world.state.channels[message.channel_id], message)

    # Interactions

    def press(
        self, message: Message, custom_id: str, user: User, *, values: list[str] | None = None
    ) -> Interaction:
        """Press a button or choose from a menu of a message."""
        component = _find_component(message.draft.components, custom_id)
        if component is None:
            raise LookupError(f"the message has no component {custom_id!r}")
        said: Json = {
            "custom_id": custom_id,
            "component_type": component["type"],
            "id": component.get("id", 1),
        }
        if values is not None:
            said["values"] = values
        channel = self._world.state.channels[message.channel_id]
        shape = {"message": message_shape(self._world.state, message)}
        owner = message.interaction.application_id if message.interaction else message.author.id
        if message.webhook is not None and message.webhook.application_id:
            owner = message.webhook.application_id
        application = self._world.state.applications[owner]
        return self._interact(
            application, InteractionType.COMPONENT, channel, user, said, shape, message=message
        )

    def submit(self, modal: Interaction, user: User, values: dict[str, str]) -> Interaction:
        """Fill in the modal that a bot answered an interaction with."""
        shown: Json = (modal.callback or {}).get("data") or {}
        rows = [
            {
                "type": 1,
                "id": index,
                "components": [{"type": 4, "id": index, "custom_id": key, "value": value}],
            }
            for index, (key, value) in enumerate(values.items(), 1)
        ]
        said = {"custom_id": shown["custom_id"], "components": rows}
        channel = self._world.state.channels[modal.channel_id]
        application = self._world.state.applications[modal.application_id]
        return self._interact(application, InteractionType.MODAL, channel, user, said)

    def slash(self, channel: Channel, user: User, name: str, /, **options: object) -> Interaction:
        """Use a slash command; `name` may be `group sub` or `group sub command`.

        A file among the options is a pair of its name and its content.
        """
        application, said = self._call(channel, name, options)
        return self._interact(application, InteractionType.COMMAND, channel, user, said, name=name)

    def complete(
        self, channel: Channel, user: User, name: str, typing: str, /, **options: object
    ) -> Interaction:
        """Type into the option `typing` of a slash command, so that the bot suggests values for it."""
        application, said = self._call(channel, name, options)
        options_typed = said["options"]
        for _ in name.split()[1:]:
            options_typed = options_typed[0]["options"]
        next(one for one in options_typed if one["name"] == typing)["focused"] = True
        return self._interact(application, InteractionType.AUTOCOMPLETE, channel, user, said, name=name)

    def _call(self, channel: Channel, name: str, options: dict[str, object]) -> tuple[Application, Json]:
        words = name.split()
        application, command = self._find_command(channel, words[0], _SLASH)
        resolved: Json = {}
        filled = self._fill(command, words[1:], options, resolved)
        said: Json = {"id": command["id"], "name": command["name"], "type": 1, "options": filled}
        if resolved:
            said["resolved"] = resolved
        if "guild_id" in command:
            said["guild_id"] = command["guild_id"]
        return application, said

    def menu(self, message: Message, user: User, name: str) -> Interaction:
        """Choose a command from the menu of a message."""
        channel = self._world.state.channels[message.channel_id]
        application, command = self._find_command(channel, name, _ON_MESSAGE)
        said: Json = {"id": command["id"], "name": name, "type": _ON_MESSAGE, "target_id": str(message.id)}
        said["resolved"] = {"messages": {str(message.id): message_shape(self._world.state, message)}}
        return self._interact(application, InteractionType.COMMAND, channel, user, said, name=name)

    def _find_command(self, channel: Channel, name: str, type_: int) -> tuple[Application, Json]:
        state = self._world.state
        for application in state.applications.values():
            local = state.guild_commands.get((application.id, channel.guild_id or 0), {})
            for command in (*local.values(), *application.commands.values()):
                if command["name"] == name and command["type"] == type_:
                    return application, command
        raise LookupError(f"no bot has a command {name!r}")

    def _fill(self, command: Json, path: list[str], options: dict[str, object], resolved: Json) -> list[Json]:
        known = {one["name"]: one for one in command.get("options") or ()}
        if path:
            sub = known[path[0]]
            inner = self._fill(sub, path[1:], options, resolved)
            return [{"name": sub["name"], "type": sub["type"], "options": inner}]
        return [
            {"name": name, "type": known[name]["type"], "value": self._value(value, resolved)}
            for name, value in options.items()
        ]

    def _value(self, value: object, resolved: Json) -> object:
        if isinstance(value, User):
            resolved.setdefault("users", {})[str(value.id)] = user_shape(value)
        elif isinstance(value, Channel):
            resolved.setdefault("channels", {})[str(value.id)] = {**channel_shape(value), "permissions": "0"}
        elif isinstance(value, Role):
            resolved.setdefault("roles", {})[str(value.id)] = role_shape(value)
        elif isinstance(value, tuple):
            name, content = value
            return self._upload(str(name), bytes(content), resolved)
        else:
            return value
        return str(value.id)

    def _upload(self, name: str, content: bytes, resolved: Json) -> str:
        """A file that belongs to no message yet."""
        state, file = self._world.state, self._attach(name, content)
        state.uploads[file.id] = file
        shape = attachment_shape(state, 0, file)
        resolved.setdefault("attachments", {})[str(file.id)] = {**shape, "ephemeral": True}
        return str(file.id)

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
        state = self._world.state
        made = state.make_id()
        payload = {
            **self._about(application, channel, user),
            "type": int(kind),
            "data": said,
            **(extra or {}),
        }
        payload |= {"id": str(made), "token": state.make_secret(made)}
        interaction = Interaction(
            made, payload["token"], application.id, kind, channel.id, user, state.now(), payload, **kept
        )
        state.interactions[interaction.token] = interaction
        event = Event("INTERACTION_CREATE", payload, channel.guild_id, channel, application_id=application.id)
        state.tell(event)
        return interaction

    def _about(self, application: Application, channel: Channel, user: User) -> Json:
        state = self._world.state
        about: Json = {
            "application_id": str(application.id),
            "channel_id": str(channel.id),
            "channel": {**channel_shape(channel), "permissions": str(int(state.permissions(user, channel)))},
            "version": 1,
            "locale": user.locale,
            "app_permissions": str(int(state.permissions(application.user, channel)) & ((1 << 53) - 1)),
            "entitlements": [],
            "entitlement_sku_ids": [],
            "attachment_size_limit": self._world.switches.file_limit,
            "authorizing_integration_owners": {"0": str(channel.guild_id or 0)},
            "context": 0 if channel.guild_id else 1,
        }
        if channel.type is ChannelType.DM or channel.guild_id is None:
            return {**about, "user": user_shape(user)}
        guild = state.guilds[channel.guild_id]
        granted = str(int(state.permissions(user, channel)) & ((1 << 53) - 1))
        about |= {"guild_id": str(guild.id), "guild_locale": "en-US"}
        about["guild"] = {"id": str(guild.id), "locale": "en-US", "features": []}
        return {**about, "member": {**member_shape(guild.members[user.id]), "permissions": granted}}


def _find_component(components: Any, custom_id: str) -> Json | None:  # noqa: ANN401 - nested JSON
    for component in components or ():
        if component.get("custom_id") == custom_id:
            return dict(component)
        inner = [*(component.get("components") or ()), *filter(None, [component.get("accessory")])]
        found = _find_component(inner, custom_id)
        if found is not None:
            return found
    return None

"""One user at one client, with short methods for tests.

user.say("hello")
user.press(message, "again")
user.slash("ask", question="why")
"""

from __future__ import annotations

import mimetypes
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..images import image_size
from ..rest.allowed_mentions import scan_mentions
from ..rest.request_body import safe_filename
from ..state.models import Attachment
from ..state.permissions import Permission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..context import Context
    from ..request_log import Push
    from ..state.models import Channel, Draft, Interaction, Message, User
    from ..state.state import State
    from .actions import UserActions


class FakeUser:
    """A user who looks at a channel; `Twin.fake_user` makes one.

    Args:
        context: The twin's shared objects.
        actions: What users can do.
        user: Who acts.
        channel: Where; the attribute `channel` may be changed, and most actions accept another one.

    Example:
        bob = twin.fake_user("bob")
        bob.say("hello")
        answer = await twin.next_message()
        bob.press(answer, "again")

    """

    def __init__(self, context: Context, actions: UserActions, user: User, channel: Channel) -> None:
        self._context = context
        self._users = actions
        self.user = user
        self.channel = channel

    def __repr__(self) -> str:
        return f"<FakeUser {self.user.name}>"

    @property
    def mention(self) -> str:
        """How a text mentions this user."""
        return f"<@{self.user.id}>"

    # Messages

    def say(self, text: str = "", channel: Channel | None = None, **more: Any) -> Message:  # noqa: ANN401
        """Write a message; `reply_to`, `files`, `stickers` and `silent` as in `UserActions.say`."""
        return self._users.say(channel or self.channel, self.user, text, **more)

    def reply(self, message: Message, text: str) -> Message:
        """Answer a message."""
        channel = self._context.state.channels[message.channel_id]
        return self._users.say(channel, self.user, text, reply_to=message)

    def speak(self, audio: bytes = b"OggS", seconds: float = 1.0) -> Message:
        """Send a voice note."""
        return self._users.speak(self.channel, self.user, audio, seconds)

    def forward(self, message: Message, channel: Channel | None = None) -> Message:
        """Forward a message into a channel."""
        return self._users.forward(message, channel or self.channel, self.user)

    def ask(self, question: str, answers: Sequence[str]) -> Message:
        """Start a poll."""
        return self._users.ask(self.channel, self.user, question, answers)

    def edit(self, message: Message, text: str) -> None:
        """Change a message of one's own."""
        if message.author is not self.user:
            raise PermissionError("users can edit their own messages only")
        self._users.edit(message, text)

    def delete(self, message: Message) -> None:
        """Delete a message."""
        self._users.delete(message)

    def react(self, message: Message, emoji: str) -> None:
        """React with an emoji."""
        self._users.react(message, emoji, self.user)

    def unreact(self, message: Message, emoji: str) -> None:
        """Take a reaction back."""
        self._users.react(message, emoji, self.user, on=False)

    def vote(self, message: Message, answer: int) -> None:
        """Vote for an answer of a poll, counted from 1."""
        self._users.vote(message, answer, self.user)

    def pin(self, message: Message) -> None:
        """Pin a message."""
        self._users.pin(message, self.user)

    def start_thread(self, name: str, message: Message | None = None, text: str = "") -> Channel:
        """Start a thread, or a post if the channel is a forum."""
        return self._users.start_thread(self.channel, self.user, name, message=message, text=text)

    # Interactions

    def press(self, message: Message, custom_id: str) -> Interaction:
        """Press a button."""
        return self._users.press(message, custom_id, self.user)

    def choose(self, message: Message, custom_id: str, *values: object) -> Interaction:
        """Choose from a menu: texts, or users, roles and channels."""
        return self._users.press(message, custom_id, self.user, values=values)

    def slash(self, name: str, /, **options: object) -> Interaction:
        """Use a slash command; groups are words of the name."""
        return self._users.slash(self.channel, self.user, name, **options)

    def complete(self, name: str, typing: str, /, **options: object) -> Interaction:
        """Type into an option, so that the bot suggests values."""
        return self._users.complete(self.channel, self.user, name, typing, **options)

    def menu(self, name: str, target: Message | User | FakeUser) -> Interaction:
        """Choose a command from the menu of a message or of a user."""
        aim = target.user if isinstance(target, FakeUser) else target
        return self._users.menu(aim, self.user, name, self.channel)

    def submit(self, modal: Interaction, **values: Any) -> Interaction:  # noqa: ANN401 - see Users.submit
        """Fill in a modal."""
        return self._users.submit(modal, self.user, values)

    # Notifications

    @property
    def pushes(self) -> list[Push]:
        """What would have shown on their phone."""
        return [one for one in self._context.log.pushes if self.user.id in one.user_ids]

    @property
    def unread(self) -> int:
        """Messages of their channel since `read`."""
        return self._context.log.unread[self.user.id, self.channel.id]

    def read(self) -> None:
        """Look at the channel: nothing is unread."""
        self._context.log.unread.pop((self.user.id, self.channel.id), None)


class ActionUnavailable(LookupError):
    """A client would not let a user do this: a disabled button, a missing field, no permission.

    Example:
        with pytest.raises(ActionUnavailable):
            bob.press(message, "stop")

    """


def need_right(state: State, user: User, channel: Channel, permission: Permission, what: str) -> None:
    """Refuse what the user may not do in this channel."""
    granted = state.permissions(user, channel)
    if not granted & Permission.VIEW_CHANNEL:
        raise ActionUnavailable(f"{user.name} does not see #{channel.name or channel.id}")
    if not granted & permission:
        raise ActionUnavailable(f"{user.name} may not {what} in #{channel.name or channel.id}")


def need_to_write(state: State, user: User, channel: Channel) -> None:
    """Refuse a message where there is no field to write it into."""
    if channel.is_forum:
        raise ActionUnavailable("a forum holds posts only: start one, then write into it")
    right = Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    need_right(state, user, channel, right, "write")
    if channel.locked:
        need_right(state, user, channel, Permission.MANAGE_THREADS, "write into a locked thread")


def make_attachment(
    context: Context, name: str, content: bytes, *, duration: float | None = None
) -> Attachment:
    """Return a file, as it is after the upload; one with a duration is a voice note."""
    width, height = image_size(content) or (None, None)
    filename = safe_filename(name)
    kind = "image/png" if width else mimetypes.guess_type(filename)[0] or "application/octet-stream"
    # Only voice messages have a duration and a waveform.
    kind = "audio/ogg" if duration is not None else kind
    waveform = "AAAA" if duration is not None else None
    return Attachment(
        context.state.make_id(), filename, content, kind, None, width, height, duration, waveform
    )


def with_mentions(context: Context, channel: Channel, draft: Draft) -> Draft:
    """Return the draft with those whom it mentions; a reply mentions whom it answers."""
    said = scan_mentions(draft.content, context.options)
    users = [user_id for user_id in said.users if user_id in context.state.users]
    target = draft.reply_to.author if draft.reply_to else None
    if target is not None and target.id in context.state.users and target.id not in users:
        users.append(target.id)
    guild = context.state.guilds.get(channel.guild_id or 0)
    roles = [role_id for role_id in said.roles if guild and role_id in guild.roles]
    return replace(draft, mentions=tuple(users), mention_roles=tuple(roles))

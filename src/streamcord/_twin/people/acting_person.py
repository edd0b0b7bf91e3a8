"""One person at one client: short words for tests.

person.say("hello")
person.press(message, "again")
person.slash("ask", question="why")
"""

from __future__ import annotations

import mimetypes
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..._shared.image_kinds import image_size
from ..rest.allowed_mentions import scan_mentions
from ..rest.form import safe_filename
from ..state.model import Attachment
from ..state.permissions import Permission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..log import Push
    from ..state import State
    from ..state.model import Channel, Draft, Interaction, Message, User
    from ..world import World
    from . import People

__all__ = ["ActingPerson", "NotOffered", "make_attachment", "need_right", "need_to_write", "with_mentions"]


class ActingPerson:
    """A person who looks at a channel; `channel` may be changed, and most acts take another one."""

    def __init__(self, world: World, people: People, user: User, channel: Channel) -> None:
        self._world = world
        self._people = people
        self.user = user
        self.channel = channel

    def __repr__(self) -> str:
        return f"<ActingPerson {self.user.name}>"

    @property
    def mention(self) -> str:
        """How a text mentions this person."""
        return f"<@{self.user.id}>"

    # Messages

    def say(self, text: str = "", channel: Channel | None = None, **more: Any) -> Message:  # noqa: ANN401
        """Write a message; `reply_to`, `files`, `stickers` and `silent` as in `People.say`."""
        return self._people.say(channel or self.channel, self.user, text, **more)

    def reply(self, message: Message, text: str) -> Message:
        """Answer a message."""
        channel = self._world.state.channels[message.channel_id]
        return self._people.say(channel, self.user, text, reply_to=message)

    def speak(self, audio: bytes = b"OggS", seconds: float = 1.0) -> Message:
        """Send a voice note."""
        return self._people.speak(self.channel, self.user, audio, seconds)

    def forward(self, message: Message, channel: Channel | None = None) -> Message:
        """Forward a message into a channel."""
        return self._people.forward(message, channel or self.channel, self.user)

    def ask(self, question: str, answers: Sequence[str]) -> Message:
        """Start a poll."""
        return self._people.ask(self.channel, self.user, question, answers)

    def edit(self, message: Message, text: str) -> None:
        """Change a message of one's own."""
        if message.author is not self.user:
            raise PermissionError("people can edit their own messages only")
        self._people.edit(message, text)

    def delete(self, message: Message) -> None:
        """Delete a message."""
        self._people.delete(message)

    def react(self, message: Message, emoji: str) -> None:
        """React with an emoji."""
        self._people.react(message, emoji, self.user)

    def unreact(self, message: Message, emoji: str) -> None:
        """Take a reaction back."""
        self._people.react(message, emoji, self.user, on=False)

    def vote(self, message: Message, answer: int) -> None:
        """Vote for an answer of a poll, counted from 1."""
        self._people.vote(message, answer, self.user)

    def pin(self, message: Message) -> None:
        """Pin a message."""
        self._people.pin(message, self.user)

    def start_thread(self, name: str, message: Message | None = None, text: str = "") -> Channel:
        """Start a thread, or a post if the channel is a forum."""
        return self._people.start_thread(self.channel, self.user, name, message=message, text=text)

    # Interactions

    def press(self, message: Message, custom_id: str) -> Interaction:
        """Press a button."""
        return self._people.press(message, custom_id, self.user)

    def choose(self, message: Message, custom_id: str, *values: object) -> Interaction:
        """Choose from a menu: texts, or users, roles and channels."""
        return self._people.press(message, custom_id, self.user, values=values)

    def slash(self, name: str, /, **options: object) -> Interaction:
        """Use a slash command; groups are words of the name."""
        return self._people.slash(self.channel, self.user, name, **options)

    def complete(self, name: str, typing: str, /, **options: object) -> Interaction:
        """Type into an option, so that the bot suggests values."""
        return self._people.complete(self.channel, self.user, name, typing, **options)

    def menu(self, name: str, target: Message | User | ActingPerson) -> Interaction:
        """Choose a command from the menu of a message or of a person."""
        aim = target.user if isinstance(target, ActingPerson) else target
        return self._people.menu(aim, self.user, name, self.channel)

    def submit(self, modal: Interaction, **values: Any) -> Interaction:  # noqa: ANN401 - see People.submit
        """Fill in a modal."""
        return self._people.submit(modal, self.user, values)

    # What they notice

    @property
    def pushes(self) -> list[Push]:
        """What would have shown on their phone."""
        return [one for one in self._world.log.pushes if self.user.id in one.user_ids]

    @property
    def unread(self) -> int:
        """Messages of their channel since `read`."""
        return self._world.log.unread[self.user.id, self.channel.id]

    def read(self) -> None:
        """Look at the channel: nothing is unread."""
        self._world.log.unread.pop((self.user.id, self.channel.id), None)


class NotOffered(LookupError):
    """A client would not let a person do this: the button is grey, a field is empty, the door is shut."""


def need_right(state: State, user: User, channel: Channel, permission: Permission, what: str) -> None:
    """Refuse what the person may not do in this channel."""
    granted = state.permissions(user, channel)
    if not granted & Permission.VIEW_CHANNEL:
        raise NotOffered(f"{user.name} does not see #{channel.name or channel.id}")
    if not granted & permission:
        raise NotOffered(f"{user.name} may not {what} in #{channel.name or channel.id}")


def need_to_write(state: State, user: User, channel: Channel) -> None:
    """Refuse a message where there is no field to write it into."""
    if channel.is_forum:
        raise NotOffered("a forum holds posts only: start one, then write into it")
    right = Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    need_right(state, user, channel, right, "write")
    if channel.locked:
        need_right(state, user, channel, Permission.MANAGE_THREADS, "write into a locked thread")


def make_attachment(world: World, name: str, content: bytes, *, duration: float | None = None) -> Attachment:
    """A file, as it is after the upload; one with a duration is a voice note."""
    width, height = image_size(content) or (None, None)
    filename = safe_filename(name)
    kind = "image/png" if width else mimetypes.guess_type(filename)[0] or "application/octet-stream"
    kind = "audio/ogg" if duration is not None else kind
    waveform = "AAAA" if duration is not None else None
    return Attachment(world.state.make_id(), filename, content, kind, None, width, height, duration, waveform)


def with_mentions(world: World, channel: Channel, draft: Draft) -> Draft:
    """The draft with those whom it mentions; a reply mentions whom it answers."""
    said = scan_mentions(draft.content, world.switches)
    users = [user_id for user_id in said.users if user_id in world.state.users]
    target = draft.reply_to.author if draft.reply_to else None
    if target is not None and target.id in world.state.users and target.id not in users:
        users.append(target.id)
    guild = world.state.guilds.get(channel.guild_id or 0)
    roles = [role_id for role_id in said.roles if guild and role_id in guild.roles]
    return replace(draft, mentions=tuple(users), mention_roles=tuple(roles))

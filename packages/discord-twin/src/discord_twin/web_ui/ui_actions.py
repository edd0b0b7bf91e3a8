"""Carry out what a user does on the web UI; each action is one that Discord's client offers.

An action that Discord would not offer raises `ActionUnavailable` with a sentence; a malformed one raises
`InvalidAction`. An action that starts an interaction waits for the bot's first answer, which may be a form to fill in.
"""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..state.permissions import Permission
from ..users.fake_user import ActionUnavailable
from ..users.interactions import OptionType, find_option_types
from .channel_views import does_see
from .component_views import modal_view
from .message_view import is_seen
from .text_views import shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..server import Twin
    from ..state.models import Channel, Interaction, Json, Message, Role, User

_MAX_TEXT_CHARS = 4000
"""Characters that a user may write at once."""
_NAME_CHARS = 32
_MAX_FILES = 10
_MODALS = 100
_CHOICES, _MODAL = 8, 9


class InvalidAction(ValueError):
    """The web UI asked for something that makes no sense."""


class UIActions:
    """Carries out what users do on the web UI of one twin."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        # Open forms by interaction id, oldest first.
        self._modals: OrderedDict[str, Interaction] = OrderedDict()
        self._acts: dict[str, Callable[[User, Json], Awaitable[Json | None]]] = {
            "say": self._say,
            "edit": self._edit,
            "delete": self._delete,
            "react": self._react,
            "vote": self._vote,
            "pin": self._pin,
            "thread": self._thread,
            "typing": self._typing,
            "read": self._read,
            "dm": self._dm,
            "join": self._join,
            "press": self._press,
            "slash": self._slash,
            "complete": self._complete,
            "menu": self._menu,
            "submit": self._submit,
        }

    def __contains__(self, name: str) -> bool:
        return name in self._acts

    async def apply(self, name: str, user: User, asked: Json) -> Json | None:
        """Do one thing as one user; what the web UI must show next, if anything."""
        try:
            return await self._acts[name](user, asked)
        except ActionUnavailable:
            raise
        # The page sends JSON of any shape; a wrong shape must not be a server error.
        except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
            raise InvalidAction(f"{name}: {type(error).__name__}") from error

    # Channels and messages that the page names

    def _channel(self, user: User, asked: Json) -> Channel:
        channel = self._twin.state.channels[int(asked["channel"])]
        if not does_see(self._twin, user, channel):
            raise ActionUnavailable(f"{user.name} does not see this channel")
        return channel

    def _message(self, user: User, asked: Json, key: str = "message") -> Message:
        message = self._channel(user, asked).messages.get(int(asked[key]))
        if message is None or not is_seen(message, user):
            raise ActionUnavailable("the message is gone")
        return message

    # Messages

    async def _say(self, user: User, asked: Json) -> None:
        channel, text = self._channel(user, asked), str(asked.get("text") or "").strip()
        files = dict(_read_files(asked.get("files") or []))
        if len(text) > _MAX_TEXT_CHARS or not (text or files):
            raise InvalidAction("a message has 1 to 4000 characters, or files")
        self._need_size(*files.values())
        original = self._message(user, asked, "reply") if asked.get("reply") else None
        self._twin.say(channel, user, text, reply_to=original, files=files, silent=bool(asked.get("silent")))

    def _need_size(self, *contents: bytes) -> None:
        limit = self._twin.options.file_limit
        if any(len(one) > limit for one in contents):
            raise ActionUnavailable(f"a file may have {limit >> 20} MiB at most")

    async def _edit(self, user: User, asked: Json) -> None:
        message, text = self._message(user, asked), str(asked["text"]).strip()
        if message.author is not user or message.webhook is not None:
            raise ActionUnavailable("users can edit their own messages only")
        if not 0 < len(text) <= _MAX_TEXT_CHARS:
            raise InvalidAction("a message has 1 to 4000 characters")
        self._twin.edit(message, text)

    async def _delete(self, user: User, asked: Json) -> None:
        message = self._message(user, asked)
        granted = self._twin.state.permissions(user, self._channel(user, asked))
        if message.author is not user and not granted & Permission.MANAGE_MESSAGES:
            raise ActionUnavailable("users can delete their own messages only")
        self._twin.delete(message)

    async def _react(self, user: User, asked: Json) -> None:
        message = self._message(user, asked)
        self._twin.users.react(message, str(asked["emoji"]), user, on=bool(asked.get("on", True)))

    async def _vote(self, user: User, asked: Json) -> None:
        message = self._message(user, asked)
        self._twin.users.vote(message, int(asked["answer"]), user, on=bool(asked.get("on", True)))

    async def _pin(self, user: User, asked: Json) -> None:
        self._twin.users.pin(self._message(user, asked), user)

    async def _thread(self, user: User, asked: Json) -> Json:
        channel, name = self._channel(user, asked), str(asked["name"]).strip()
        if not 0 < len(name) <= 100:
            raise InvalidAction("a thread has a name of 1 to 100 characters")
        message = self._message(user, asked) if asked.get("message") else None
        text = str(asked.get("text") or "")[:_MAX_TEXT_CHARS]
        thread = self._twin.users.start_thread(channel, user, name, message=message, text=text)
        return {"channel": str(thread.id)}

    # Being there

    async def _typing(self, user: User, asked: Json) -> None:
        self._twin.users.type(self._channel(user, asked), user)

    async def _read(self, user: User, asked: Json) -> None:
        self._twin.log.unread.pop((user.id, int(asked["channel"])), None)

    async def _dm(self, user: User, asked: Json) -> Json:
        other = self._twin.state.users[int(asked["user"])]
        if not other.bot or other is user:
            raise ActionUnavailable("direct messages between two users are not supported here")
        return {"channel": str(self._twin.dm(user).id)}

    async def _join(self, _: User, asked: Json) -> Json:
        name = shown(" ".join(str(asked["name"]).split()))
        if not 0 < len(name) <= _NAME_CHARS:
            raise InvalidAction("a user has a name of 1 to 32 characters")
        known = next((one for one in self._users() if one.name == name), None)
        return {"user": str((known or self._twin.add_user(name)).id)}

    def _users(self) -> list[User]:
        return [one.user for one in self._twin.guild.members.values() if not one.user.bot]

    # Interactions

    async def _press(self, user: User, asked: Json) -> Json | None:
        values = asked.get("values")
        message = self._message(user, asked)
        pressed = self._twin.press(message, str(asked["id"]), user, values=values)
        return await self._answer(pressed)

    async def _slash(self, user: User, asked: Json) -> Json | None:
        channel, name = self._channel(user, asked), str(asked["name"])
        options = self._options(channel, user, name, dict(asked.get("options") or {}))
        return await self._answer(self._twin.slash(name, channel, user, **options))

    async def _complete(self, user: User, asked: Json) -> Json | None:
        channel, name, typing = self._channel(user, asked), str(asked["name"]), str(asked["typing"])
        given = dict(asked.get("options") or {})
        # The option that is being typed stays text; the others have their types.
        half = str(given.pop(typing, ""))
        options = self._options(channel, user, name, given)
        return await self._answer(
            self._twin.complete(name, typing, channel, user, **{**options, typing: half})
        )

    async def _menu(self, user: User, asked: Json) -> Json | None:
        channel, name = self._channel(user, asked), str(asked["name"])
        target = (
            self._message(user, asked) if "message" in asked else self._twin.state.users[int(asked["user"])]
        )
        return await self._answer(self._twin.users.menu(target, user, name, channel))

    async def _submit(self, user: User, asked: Json) -> Json | None:
        modal = self._modals.get(str(asked["modal"]))
        if modal is None or modal.user is not user:
            raise ActionUnavailable("the form is gone")
        values = {str(key): _modal_value(value) for key, value in dict(asked["values"]).items()}
        return await self._answer(self._twin.submit(modal, values, user))

    async def _answer(self, interaction: Interaction) -> Json | None:
        """Wait for the bot, as long as Discord does."""
        if not any(one.connection for one in self._twin.gateway.sessions.values()):
            raise ActionUnavailable("No bot is connected, so this cannot be answered.")
        try:
            await self._twin.until(lambda: interaction.responded, self._twin.options.interaction_deadline_s)
        except TimeoutError:
            raise ActionUnavailable("The application did not respond.") from None
        answer = interaction.callback or {}
        said: Json = answer.get("data") or {}
        if answer.get("type") == _CHOICES:
            choices = [
                {"label": shown(one["name"]), "value": one["value"]} for one in said.get("choices") or ()
            ]
            return {"choices": choices}
        if answer.get("type") == _MODAL:
            return {"modal": self._open_modal(interaction, said)}
        return None

    def _open_modal(self, interaction: Interaction, said: Json) -> Json:
        self._modals[str(interaction.id)] = interaction
        if len(self._modals) > _MODALS:
            self._modals.popitem(last=False)
        channel = self._twin.state.channels[interaction.channel_id]
        view = modal_view(self._twin.state, channel, interaction.user, said)
        return {"id": str(interaction.id), **view}

    # Options

    def _options(self, channel: Channel, user: User, name: str, given: Json) -> dict[str, Any]:
        kinds = find_option_types(self._twin.context, channel, user, name)
        return {key: self._value(kinds.get(key, 3), value) for key, value in given.items()}

    def _value(self, kind: int, given: Any) -> object:  # noqa: ANN401 - from the web UI
        state = self._twin.state
        if kind == OptionType.USER:
            return state.users[int(given)]
        if kind == OptionType.CHANNEL:
            return state.channels[int(given)]
        if kind == OptionType.ROLE:
            return self._role(int(given))
        if kind == OptionType.MENTIONABLE:
            return state.users.get(int(given)) or self._role(int(given))
        if kind == OptionType.FILE:
            ((name, content),) = _read_files([given])
            self._need_size(content)
            return name, content
        numbers: dict[int, Callable[[Any], object]] = {
            OptionType.INTEGER: int, OptionType.NUMBER: float, OptionType.BOOLEAN: bool,
        }  # fmt: skip
        return numbers.get(kind, str)(given)

    def _role(self, number: int) -> Role:
        return self._twin.guild.roles[number]


def _read_files(given: Any) -> list[tuple[str, bytes]]:  # noqa: ANN401 - from the web UI
    if len(given) > _MAX_FILES:
        raise ActionUnavailable(f"a message has {_MAX_FILES} files at most")
    files: dict[str, bytes] = {}
    for number, one in enumerate(given, 1):
        name = str(one["name"])
        # Two files of one name are two files.
        key = f"{number}-{name}" if name in files else name
        files[key] = base64.b64decode(str(one["data"]), validate=True)
    return [*files.items()]


def _modal_value(value: Any) -> Any:  # noqa: ANN401 - from the web UI
    """Return a field as it was filled in; files come as name and content."""
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return _read_files(value)
    return value

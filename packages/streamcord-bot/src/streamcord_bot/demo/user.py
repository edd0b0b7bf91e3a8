"""The demo's user on the twin: reads one channel, writes, presses buttons, uses commands."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from discord_twin import Channel, Event, Interaction, Message, MessageFlag, Twin
from streamcord.preview import mask_controls

from .screen import Screen, buttons_of

HELP = """\
[bold]Write[/] and press Enter to say something. [bold]/[/] is for the bot, [bold]:[/] for this window
  [bold]:channels[/]  [bold]#name[/]        which channels there are; go to one
  [bold]:press WORD[/]             press a button: stop, again, continue
  [bold]:reply TEXT[/]             reply to the last answer
  [bold]:edit TEXT[/]  [bold]:delete[/]     change or delete what you said last
  [bold]:file PATH TEXT[/]         send a file
  [bold]:commands[/]               the bot's commands
  [bold]:tour[/]  [bold]:page[/]  [bold]:quit[/]     a short tour; the same in a browser; end
  [bold]Tab[/]  [bold]Ctrl-C[/]             completes a command; stops the answer, or ends"""

# The commands of this window, for completion.
_OWN_COMMANDS = (
    ":channels", ":commands", ":delete", ":edit", ":file", ":help", ":leave", ":page", ":press", ":quit", ":reply",
    ":tour",
)  # fmt: skip
# https://docs.discord.com/developers/reference#message-formatting
_MENTION = re.compile(r"<(?P<kind>@[!&]?|#)(?P<id>\d+)>")

# The bot must react to a message or command within this time.
ANSWER_TIMEOUT_S = 10.0
POLL_INTERVAL_S = 0.02
# Messages that are printed when the user opens a channel.
MAX_SHOWN_MESSAGES = 6


async def until(look: Callable[[], object], seconds: float = float("inf")) -> None:
    """Wait until `look` returns true or `seconds` have passed."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not look() and loop.time() < end:  # noqa: ASYNC110
        await asyncio.sleep(POLL_INTERVAL_S)


class DemoUser:
    """Acts as `twin.user`; `is_quiet` returns whether the bot has nothing left to say."""

    def __init__(self, twin: Twin, screen: Screen, is_quiet: Callable[[], bool]) -> None:
        self.twin = twin
        self.screen = screen
        # Answers and waiting questions of the bot's dispatcher decide this.
        self._is_quiet = is_quiet
        self.channel = twin.channel
        # When each user was last seen typing.
        self.typing: dict[int, float] = {}
        self.bot_messages = 0
        """Number of messages of bots that were shown."""
        # The buttons that were printed last, so that they are not printed again with every message.
        self._buttons = ""
        # The last command, until something else is said: its answer may be private and has no message event.
        self._used: Interaction | None = None
        twin.state.observe(self._on_event)
        screen.name_mentions = self._name_mentions

    # --- Reading -----------------------------------------------------------------------------

    def _on_event(self, event: Event) -> None:
        if event.channel is not self.channel:
            return
        if event.name in {"MESSAGE_CREATE", "MESSAGE_UPDATE"} and event.message is not None:
            if event.message.by_machine:
                # A persona speaks through a webhook, whose id is not that of the bot who types.
                self.typing.clear()
                self.bot_messages += event.name == "MESSAGE_CREATE"
            self.screen.show(event.message)
            self._show_buttons(event.message)
        elif event.name == "MESSAGE_DELETE":
            self.screen.drop(int(event.payload["id"]))
        elif event.name == "TYPING_START":
            self.typing[int(event.payload["user_id"])] = asyncio.get_running_loop().time()

    def _name_mentions(self, text: str) -> str:
        """Replace the ids of mentions by names, as Discord's client shows them."""

        def name(found: re.Match[str]) -> str:
            state, id_ = self.twin.state, int(found["id"])
            known = (state.channels if found["kind"] == "#" else state.users).get(id_)
            # Marks in a name are no Markdown.
            return (
                found[0] if known is None else found["kind"][0] + re.sub(r"([\\*_~`|])", r"\\\1", known.name)
            )

        return _MENTION.sub(name, text)

    def _show_buttons(self, message: Message) -> None:
        """Show the buttons of a message if they changed; Stop moves with every message and is not shown."""
        labels = "  ".join(f"[ {mask_controls(label)} ]" for label in buttons_of(message) if label != "Stop")
        if labels and labels != self._buttons:
            self._buttons = labels
            self.screen.print_quiet(f"  {labels}")

    @property
    def is_bot_typing(self) -> bool:
        """Whether a bot is typing: for ten seconds after each typing event, as in Discord's client."""
        now = asyncio.get_running_loop().time()
        return any(now - since < 10 for since in self.typing.values())

    @property
    def is_answered(self) -> bool:
        """Whether the bot has nothing left to say."""
        return self._is_quiet()

    # --- Acting -----------------------------------------------------------------------------

    def go(self, name: str) -> None:
        """Open another channel."""
        wanted = name.removeprefix("#").casefold()
        for channel in self.channels():
            if channel.name.casefold() == wanted:
                self.channel = channel
                self.typing.clear()
                self.screen.open(f"# {channel.name}", list(channel.messages.values()), MAX_SHOWN_MESSAGES)
                return
        raise LookupError("there are: " + " ".join(f"#{one.name}" for one in self.channels()))

    def channels(self) -> list[Channel]:
        """All channels of the server."""
        return [self.twin.state.channels[one] for one in self.twin.guild.channel_ids]

    def say(self, text: str, **more: object) -> None:
        """Write into the channel."""
        self._buttons = ""
        self._used = None
        self.twin.say(self.channel, self.twin.user, text, **more)

    def do(self, line: str) -> str:
        """Do what a line says; returns a `:` command that is not known here, else nothing."""
        word, _, rest = line.partition(" ")
        if line.startswith("#"):
            self.go(line.strip())
        elif line.startswith("/"):
            self.use(line)
        elif not line.startswith(":"):
            self.say(line)
        elif word == ":press":
            self.press(rest.strip())
        elif word == ":reply":
            self.say(rest, reply_to=self._last(machine=True))
        elif word == ":edit":
            self.twin.edit(self._last(machine=False), rest)
        elif word == ":delete":
            self.twin.delete(self._last(machine=False))
        elif word == ":file":
            path, _, text = rest.partition(" ")
            self.say(text, files={Path(path).name: Path(path).read_bytes()})
        else:
            return self._print_list(word)
        return ""

    def _print_list(self, word: str) -> str:
        if word == ":channels":
            self.screen.print_quiet("  " + "  ".join(f"#{one.name}" for one in self.channels()))
        elif word == ":commands":
            self.screen.print_columns(list_commands(self.twin, self.channel))
        elif word == ":help":
            self.screen.say(HELP)
        else:
            return word
        return ""

    def complete(self, line: str) -> list[str]:
        """Return the commands and channels that begin with a line."""
        known: Iterable[str] = ()
        if line.startswith("/"):
            known = (f"/{name} " for name, _ in _leaves(_commands(self.twin, self.channel)))
        elif line.startswith(":"):
            known = (f"{name} " for name in _OWN_COMMANDS)
        elif line.startswith("#"):
            known = (f"#{one.name}" for one in self.channels())
        return sorted(one for one in known if one.startswith(line))

    def interrupt(self) -> bool:
        """Ask the bot to stop its answer; returns false if it writes none, or was asked already."""
        if self._is_quiet() or (self._used is not None and self._used.name == "stop"):
            return False
        self.use("/stop")
        return True

    def press(self, wanted: str) -> Interaction:
        """Press the button with this word on it, below the newest message that has one."""
        found = self.find_button(wanted)
        if found is None:
            raise LookupError(f"there is no button {wanted!r} to press")
        return self.twin.press(*found)

    def find_button(self, wanted: str) -> tuple[Message, str] | None:
        """The newest button with this word on it: its message and its id."""
        for message in reversed(self.channel.messages.values()):
            for label, custom_id in buttons_of(message).items():
                if wanted.casefold() in label.casefold():
                    return message, custom_id
        return None

    def use(self, line: str) -> Interaction:
        """Use a command of the bot."""
        name, options = read_slash(line, self.twin, self.channel)
        self.screen.print_quiet(f"  you used /{name}")
        self._used = self.twin.slash(name, self.channel, self.twin.user, **options)
        return self._used

    def _last(self, *, machine: bool) -> Message:
        for message in reversed(self.channel.messages.values()):
            if message.by_machine is machine and not message.is_ephemeral:
                return message
        raise LookupError("there is no such message yet")

    def _has_not_reacted(self, before: int) -> bool:
        """Whether the bot has not reacted yet; a command counts when it has its answer."""
        if self._used is not None:
            answer = self._used.original
            loading = answer is not None and bool(answer.draft.flags & MessageFlag.LOADING)
            return not self._used.responded or loading
        return self._is_quiet() and self.bot_messages == before

    async def wait(self, before: int) -> None:
        """Wait until the bot has said something since `before` and has nothing more to say."""
        await until(lambda: not self._has_not_reacted(before), ANSWER_TIMEOUT_S)
        await until(self._is_quiet)

    async def wait_for(self, count: int, before: int) -> None:
        """Wait until `count` messages of bots were shown, or no more will come."""
        await until(lambda: self.bot_messages >= count or (self._is_quiet() and self.bot_messages > before))


# --- Commands as they are typed -------------------------------------------------------------------------


Json = Mapping[str, Any]
# Types of options: https://docs.discord.com/developers/interactions/application-commands .
_SUB, _GROUP = 1, 2
_INTEGER, _BOOLEAN, _USER, _CHANNEL, _NUMBER = 4, 5, 6, 7, 10


def list_commands(twin: Twin, channel: Channel) -> list[tuple[str, str]]:
    """Every command that can be typed, with what it does."""
    return sorted(
        (f"/{name}{_usage(command)}", str(command.get("description", "")))
        for name, command in _leaves(_commands(twin, channel))
    )


def read_slash(line: str, twin: Twin, channel: Channel) -> tuple[str, dict[str, object]]:
    """The command's full name and its options; raises `LookupError` with what could be typed."""
    words = _words(line.removeprefix("/"))
    level = _commands(twin, channel)
    path: list[str] = []
    command: Json = {"options": list(level.values())}
    while words and any(one.get("type", _SUB) in {_SUB, _GROUP} for one in level.values()):
        if words[0] not in level:
            break
        command = level[words[0]]
        path.append(words.pop(0))
        level = _inner(command)
    if not path or any(one["type"] in {_SUB, _GROUP} for one in level.values()):
        raise LookupError(_say_what_can_follow(path, words, level))
    return " ".join(path), _fill(words, level, twin)


def _say_what_can_follow(path: list[str], words: list[str], level: Mapping[str, Json]) -> str:
    """Describe what can be typed after the known words."""
    if not level:
        return "the bot has no commands yet"
    if path:
        return f"/{' '.join(path)} needs one of: {' '.join(sorted(level))}"
    wrong = f"no /{words[0]}; it has " if words else ""
    return f"the bot has {wrong}{' '.join(f'/{name}' for name in sorted(level))} (:quit ends the demo)"


def _fill(words: list[str], options: Mapping[str, Json], twin: Twin) -> dict[str, object]:
    """Options by name (`name:Luna`), the others in their order; the last takes the rest of the line."""
    values: dict[str, object] = {}
    loose: list[str] = []
    for word in words:
        key, colon, value = word.partition(":")
        if colon and key in options:
            values[key] = _value(value, options[key], twin)
        else:
            loose.append(word)
    open_ = [name for name in options if name not in values]
    for index, name in enumerate(open_):
        if not loose:
            break
        last = index == len(open_) - 1
        text = " ".join(loose) if last else loose.pop(0)
        values[name] = _value(text, options[name], twin)
        # The last option took all remaining words.
        loose = [] if last else loose
    missing = [name for name, one in options.items() if one.get("required") and name not in values]
    if missing:
        raise LookupError(f"it also needs {' and '.join(missing)}")
    return values


def _value(text: str, option: Json, twin: Twin) -> object:
    for choice in option.get("choices") or ():
        if text.casefold() in {str(choice["name"]).casefold(), str(choice["value"]).casefold()}:
            return choice["value"]
    match option["type"]:
        case kind if kind in {_INTEGER, _NUMBER}:
            try:
                return int(text) if kind == _INTEGER else float(text)
            except ValueError:
                raise LookupError(f"{option['name']} is a number") from None
        case kind if kind == _BOOLEAN:
            return text.casefold() in {"true", "yes", "on", "1"}
        case kind if kind == _CHANNEL:
            return _named(twin.state.channels.values(), text.removeprefix("#"))
        case kind if kind == _USER:
            return _named(twin.state.users.values(), text.removeprefix("@"))
        case _:
            return text


def _named(things: Any, name: str) -> object:  # noqa: ANN401  (channels or users)
    for one in things:
        if one.name.casefold() == name.casefold():
            return one
    raise LookupError(f"there is no {name}")


def _commands(twin: Twin, channel: Channel) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for application in twin.state.applications.values():
        local = twin.state.guild_commands.get((application.id, channel.guild_id or 0), {})
        for command in (*application.commands.values(), *local.values()):
            if command["type"] == 1:
                found[command["name"]] = command
    return found


def _inner(command: Json) -> dict[str, Json]:
    return {one["name"]: one for one in command.get("options") or ()}


def _leaves(level: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for name, command in level.items():
        inner = {key: one for key, one in _inner(command).items() if one["type"] in {_SUB, _GROUP}}
        if inner:
            yield from ((f"{name} {rest}", leaf) for rest, leaf in _leaves(inner))
        else:
            yield name, command


def _usage(command: Json) -> str:
    options = _inner(command).values()
    return "".join(f" {one['name']}" if one.get("required") else f" [{one['name']}]" for one in options)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()  # an apostrophe is no quote

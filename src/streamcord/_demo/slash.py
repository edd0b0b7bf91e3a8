"""Parses `/persona switch Orbit` by the bot's registered commands, as Discord's client does."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from streamcord.twin import Channel, Twin

__all__ = ["list_commands", "read_slash"]

Json = Mapping[str, Any]
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
        known = " ".join(sorted(level))
        raise LookupError(
            f"after /{' '.join(path)} one of: {known}" if known else "the bot has no commands yet"
        )
    return " ".join(path), _fill(words, level, twin)


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

"""The whole table of rules: check a body against a row, and print all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..rest.refusals import Refusal
from . import command_rules, component_rules, message_rules, modal_rules, place_rules
from .kinds import Field, Object, Path, Problem, nest

if TYPE_CHECKING:
    from ..switches import Switches

__all__ = ["CHAPTERS", "check", "check_components", "measure", "print_table", "refuse"]

CHAPTERS: dict[str, tuple[Object, ...]] = {
    "Messages": message_rules.OBJECTS,
    "Components": component_rules.OBJECTS,
    "Modals": modal_rules.OBJECTS,
    "Commands": command_rules.OBJECTS,
    "Channels, threads, roles, members": place_rules.OBJECTS,
}


def measure(text: str, switches: Switches) -> int:
    """The length of a text as this twin counts it."""
    if switches.count == "utf16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text)


def refuse(problems: Iterable[Problem]) -> None:
    """Raise 50035 with all problems, if there are any."""
    found = list(problems)
    if found:
        raise Refusal(50035, errors=nest(found))


def check(kind: Field, value: Any, switches: Switches, path: Path = ()) -> None:  # noqa: ANN401 - any JSON
    """Refuse a value that is not as its row says."""
    refuse(kind.problems(value, path, lambda text: measure(text, switches)))


def check_components(components: Any, switches: Switches, *, v2: bool) -> None:  # noqa: ANN401
    """Refuse components that may not stand in a message, alone or together."""
    check(component_rules.V2 if v2 else component_rules.CLASSIC, components, switches, ("components",))
    refuse(one for law in component_rules.TREE_LAWS for one in law.find(components, ("components",)))


def print_table() -> Iterator[str]:
    """All rows as a page of Markdown."""
    for chapter, objects in CHAPTERS.items():
        yield f"## {chapter}\n"
        for one in objects:
            yield f"**{one.name}** ([source]({one.source}))\n"
            yield from (f"- `{name}`: {kind}" for name, kind in one.fields.items())
            yield from (f"- *{law.says}*" for law in one.laws)
            yield ""
    yield "## All components of a message together\n"
    source = "https://docs.discord.com/developers/components/reference"
    yield from (f"- *{law.says}* ([source]({source}))" for law in component_rules.TREE_LAWS)

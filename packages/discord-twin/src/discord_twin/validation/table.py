"""The whole table of rules: check a body against a row, and print all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ApiError
from . import (
    commands as command_rules,
)
from . import (
    components as component_rules,
)
from . import (
    guild_objects as guild_object_rules,
)
from . import (
    messages as message_rules,
)
from . import (
    modals as modal_rules,
)
from .schema import Field, Object, Path, Problem, nest_errors

if TYPE_CHECKING:
    from ..options import TwinOptions

CHAPTERS: dict[str, tuple[Object, ...]] = {
    "Messages": message_rules.OBJECTS,
    "Components": component_rules.OBJECTS,
    "Modals": modal_rules.OBJECTS,
    "Commands": command_rules.OBJECTS,
    "Channels, threads, roles, members": guild_object_rules.OBJECTS,
}


def measure(text: str, options: TwinOptions) -> int:
    """Return the length of a text as this twin counts it."""
    if options.count == "utf16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text)


def refuse(problems: Iterable[Problem]) -> None:
    """Raise 50035 with all problems, if there are any."""
    found = list(problems)
    if found:
        raise ApiError(50035, errors=nest_errors(found))


def check(kind: Field, value: Any, options: TwinOptions, path: Path = ()) -> Any:  # noqa: ANN401 - any JSON
    """Refuse a value that is not as its row says; return it with all values in their own types."""
    refuse(kind.validate(value, path, lambda text: measure(text, options)))
    return kind.read(value)


def check_components(components: Any, options: TwinOptions, *, v2: bool) -> None:  # noqa: ANN401
    """Refuse components that may not stand in a message, alone or together."""
    check(component_rules.V2 if v2 else component_rules.CLASSIC, components, options, ("components",))
    refuse(one for rule in component_rules.TREE_RULES for one in rule.find(components, ("components",)))
    if v2 and 0 < options.v2_text_bytes < component_rules.text_bytes(components):
        raise ApiError(0, status=500, message="500: Internal Server Error")


def print_table() -> Iterator[str]:
    """Return all rows as a page of Markdown."""
    for chapter, objects in CHAPTERS.items():
        yield f"## {chapter}\n"
        for one in objects:
            yield f"**{one.name}** ([source]({one.source}))\n"
            yield from (f"- `{name}`: {kind}" for name, kind in one.fields.items())
            yield from (f"- *{rule.says}*" for rule in one.rules)
            yield ""
    yield "## All components of a message together\n"
    source = "https://docs.discord.com/developers/components/reference"
    yield from (f"- *{rule.says}* ([source]({source}))" for rule in component_rules.TREE_RULES)

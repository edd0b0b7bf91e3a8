"""The drawing with rich: a dark Discord channel with a quiet time line on its left.

rich is imported here only, and this file only when it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text

from .. import Message
from .._text.markdown.client_renderer import Block, MarkupCode, MarkupLine, Quote, StyledRun, read_message
from .plain_output import label_delay, list_hidden_text, mask_controls, summary_line
from .planned_answer import PlannedAnswer

PAGE = Style(color="#dbdee1", bgcolor="#313338")
_CODE_BACKGROUND = "#2b2d31"
QUIET = Style(color="#80848e")
_NAME = Style(color="#f2f3f5", bold=True)
_BADGE = Style(color="#ffffff", bgcolor="#5865f2")
_BAR = Style(color="#4e5058")
COLORS = {
    "bold": Style(bold=True),
    "italic": Style(italic=True),
    "underline": Style(underline=True),
    "strike": Style(strike=True),
    "code": Style(color="#dbdee1", bgcolor="#1e1f22"),
    "link": Style(color="#00a8fc"),
    "mention": Style(color="#c9cdfb", bgcolor="#3c4270"),
    "emoji": Style(color="#f0b232"),
    "spoiler": Style(color="#1e1f22", bgcolor="#1e1f22"),
}
_LINES = {
    "h1": Style(color="#ffffff", bold=True, underline=True),
    "h2": Style(color="#ffffff", bold=True),
    "h3": Style(bold=True),
    "subtext": Style(color="#949ba4", dim=True),
}


def draw(outcome: PlannedAnswer, name: str, console: Console) -> None:
    """Draw the messages as people would see them, then what they would not see."""
    rows = [*_message_rows(outcome, name), *_remain_rows(outcome)]
    console.print(_Page(rows))


class _Row:
    """A row of the page; `label` is the time beside its first line."""

    def __init__(self, body: RenderableType, label: str = "", mark: str = " ") -> None:
        self.body = body
        self.label = label
        self.mark = mark


class _Page:
    """Rows under each other; the time line runs as long as messages do."""

    LEFT = 12

    def __init__(self, rows: list[_Row]) -> None:
        self.rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        painted = console.color_system is not None
        inner = options.update(width=max(options.max_width - self.LEFT - 1, 8), height=None)
        for row in self.rows:
            for number, line in enumerate(console.render_lines(row.body, inner, style=PAGE, pad=painted)):
                mark = row.mark if number == 0 or row.mark == " " else "│"
                left = f"{row.label if number == 0 else '':>9} {mark} "
                yield Segment(
                    left if painted or any(part.text for part in line) else left.rstrip(), PAGE + QUIET
                )
                yield from line
                yield Segment(" " if painted else "", PAGE)
                yield Segment.line()


def _message_rows(outcome: PlannedAnswer, name: str) -> Iterator[_Row]:
    speaker = ""
    for message in outcome.messages:
        current = message.speaker.name if message.speaker else name
        if current != speaker:
            yield _Row(Text(""))
            yield _Row(author(current))
            speaker = current
        yield _Row(_body(message), label_delay(message.delay), "●")


def _remain_rows(outcome: PlannedAnswer) -> Iterator[_Row]:
    for heading, text in list_hidden_text(outcome):
        yield _Row(Text(""))
        yield _Row(Text(heading, QUIET + Style(italic=True)))
        yield _Row(_Hanging("  ", Text(text, QUIET)))
    yield _Row(Text(""))
    yield _Row(Text(summary_line(outcome), QUIET))
    yield _Row(Text(""))


def author(name: str, *, machine: bool = True) -> Text:
    """Return the name above a block of messages, for rich.

    Args:
        name: The name of the bot, persona or user.
        machine: Whether to add the label APP, as for bots and webhooks.

    Example:
        console.print(author("Luna"))

    """
    badge = (" ", (" APP ", _BADGE)) if machine else ()
    return Text.assemble((mask_controls(name), _NAME), *badge)


def draw_content(content: str) -> RenderableType:
    """Return a message as Discord would show it, for rich.

    Args:
        content: The content of one message.

    Example:
        console.print(draw_content("**Hello** ||there||"))

    """
    return Group(*_draw_blocks(read_message(mask_controls(content))))


def _body(message: Message) -> RenderableType:
    files = [Text(f"▣ {mask_controls(file.name)}", COLORS["link"]) for file in message.files]
    return Group(draw_content(message.content), *files)


def _draw_blocks(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    for block in blocks:
        match block:
            case MarkupLine():
                yield _draw_line(block)
            case MarkupCode():
                yield _draw_code(block)
            case Quote():
                yield _Barred(Group(*_draw_blocks(block.blocks)))


def _draw_line(line: MarkupLine) -> RenderableType:
    text = Text(style=_LINES.get(line.kind, Style.null()))
    for run in line.runs:
        _append(text, run)
    if line.kind != "item":
        return text
    # A wrapped item hangs under its own text, not under its bullet.
    return _Hanging(line.lead, text)


def _append(text: Text, run: StyledRun) -> None:
    look = Style.combine([Style.null(), *(COLORS[style] for style in sorted(run.styles))])
    if "spoiler" in run.styles:
        text.append("█" * cell_len(run.text), look)
    else:
        text.append(run.text, look)


def _draw_code(code: MarkupCode) -> RenderableType:
    syntax = Syntax(
        code.text,
        code.language or "text",
        theme="one-dark",
        word_wrap=True,
        background_color=_CODE_BACKGROUND,
    )
    return Panel(syntax, border_style=_BAR, style=Style(bgcolor=_CODE_BACKGROUND), padding=(0, 1))


class _Prefixed:
    """A renderable with something before each of its lines."""

    def __init__(self, first: Segment, rest: Segment, body: RenderableType) -> None:
        self.first = first
        self.rest = rest
        self.body = body

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        inner = options.update(width=max(options.max_width - self.first.cell_length, 4))
        for number, line in enumerate(console.render_lines(self.body, inner, pad=False)):
            yield self.rest if number else self.first
            yield from line
            yield Segment.line()


class _Barred(_Prefixed):
    """A quote with its bar."""

    def __init__(self, body: RenderableType) -> None:
        bar = Segment("▎ ", _BAR)
        super().__init__(bar, bar, body)


class _Hanging(_Prefixed):
    """A list item whose further lines stand under its first word."""

    def __init__(self, lead: str, body: RenderableType) -> None:
        super().__init__(Segment(lead), Segment(" " * cell_len(lead)), body)

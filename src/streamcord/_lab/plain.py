"""The drawing for a terminal without rich: time on the left, the messages as they are written."""

from __future__ import annotations

from collections.abc import Iterator

from streamcord import Message

from .outcome import PlannedAnswer

__all__ = ["draw_plain", "label_delay", "list_remains", "mask_controls", "sum_line"]

# Control characters would move the cursor or recolour the terminal; C0 and DEL have pictures, C1 a box.
_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"},
    127: 0x2421,
    **dict.fromkeys(range(128, 160), 0x25A1),
    # Bidirectional overrides can make a line read differently from what it says.
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0x25A1),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}


def draw_plain(outcome: PlannedAnswer, name: str) -> Iterator[str]:
    """The lines of the drawing."""
    speaker = ""
    for message in outcome.messages:
        current = message.speaker.name if message.speaker else name
        if current != speaker:
            yield from (*([""] if speaker else []), f"{'':9}   {mask_controls(current)}")
            speaker = current
        yield from _draw_message(message)
    for kind, text in list_remains(outcome):
        yield from ("", f"{'':9}   {kind}", *(f"{'':9}     {line}" for line in text.split("\n")))
    yield from ("", f"{'':9}   {sum_line(outcome)}")


def _draw_message(message: Message) -> Iterator[str]:
    lines = mask_controls(message.content).split("\n")
    lines += [f"[{file.name}]" for file in message.files]
    yield f"{label_delay(message.delay):>9} | {lines[0]}"
    for line in lines[1:]:
        yield f"{'':9} | {line}"


def label_delay(delay: float) -> str:
    """The wait before a message, short."""
    return f"+{delay:.1f} s" if delay else "at once"


def list_remains(outcome: PlannedAnswer) -> Iterator[tuple[str, str]]:
    """What is not in the messages: a heading and the text of each."""
    for kind, heading in (("think", "thought"), ("details", "details")):
        for text in outcome.captured(kind):
            yield heading, mask_controls(text.strip())
    for dropped in outcome.dropped:
        if not dropped.text.strip():
            continue  # white space that nobody would miss
        yield f"dropped ({dropped.reason})", mask_controls(dropped.text.strip())
    if outcome.halt:
        yield "halted", outcome.halt.reason


def sum_line(outcome: PlannedAnswer) -> str:
    """How many messages, over how long."""
    count = len(outcome.messages)
    seconds = sum(message.delay for message in outcome.messages)
    return f"{count} message{'' if count == 1 else 's'} in {seconds:.1f} s"


def mask_controls(text: str) -> str:
    """The text with pictures for characters that a terminal would obey."""
    return text.translate(_PICTURES)

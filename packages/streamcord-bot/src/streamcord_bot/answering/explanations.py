"""Explain how a message came to be: `/why`, the button *Why* and the page of the demo.

All texts are built from the receipt of the message and the result of its turn; nothing is asked of a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from streamcord import Boundary, Degree, Receipt, TurnResult
from streamcord.records import Seam

from .recent_answers import RecentAnswer

MAX_QUOTE_CHARS = 60
MAX_LINES = 12
MAX_TEXT_CHARS = 1900
_BOUNDARIES = {
    Boundary.CODE_OPEN: "a code block begins after it",
    Boundary.CODE_CLOSE: "a code block ends there",
    Boundary.NEWLINE: "the line ends there, and nothing was open",
    Boundary.PERIOD: "the sentence ends there",
    Boundary.OVERFLOW: "the line is very long, so it was cut at the best place",
    Boundary.ATTACHMENT: "a file or a message of a tool comes next",
    Boundary.FINAL: "the answer ends there",
    Boundary.FLUSH: "the model paused, or what follows is a message of its own",
    Boundary.TOOL_CALL: "the model called a tool, or a user stopped it",
}
_SEPARATOR = "\u200b"  # between two bars, so that they do not end a spoiler
_SPOILER_CHARS = f" \n|\\{_SEPARATOR}"


def explain_message(answered: RecentAnswer, id_: int) -> str:
    """Explain why one message looks as it does, in at most one message."""
    receipt = answered.receipt(id_)
    if receipt is None:
        return ""
    lines = [*_about(answered, receipt), *_edits(receipt)]
    text = "\n".join(f"- {line}" for line in lines)
    return text if len(text) <= MAX_TEXT_CHARS else text[: text.rfind("\n", 0, MAX_TEXT_CHARS - 1)] + "\n…"


def explain_turn(answered: RecentAnswer) -> str:
    """Explain an answer that sent no message: how it ended, and which models and keys were asked."""
    ending = f"turn `{answered.turn}` sent no message ({answered.result.ending}{_model_of(answered)})"
    return "\n".join(f"- {line}" for line in (ending, *_about_turn(answered.result)))


def explain_parts(answered: RecentAnswer, id_: int, source: str = "") -> dict[str, Any]:
    """Return the explanation as values: facts, changes of rules, and the parts of the source with their outcome."""
    receipt = answered.receipt(id_)
    if receipt is None:
        return {}
    message = receipt.message
    changes = [{"rule": one.rule, "before": one.before, "after": one.after} for one in message.edits]
    changes += [
        {"rule": f"{one.why} ({one.where} it)", "before": "", "after": one.text} for one in message.added
    ]
    return {
        "facts": [*_facts(answered, receipt)],
        "changes": changes,
        "parts": _source_parts(answered, receipt, source),
    }


def _facts(answered: RecentAnswer, receipt: Receipt) -> Iterator[tuple[str, str]]:
    for line in _about(answered, receipt):
        plain = line.replace("`", "")
        # Each line of the explanation begins with its topic in bold; turn lines have none.
        mark, _, rest = plain.removeprefix("then ").removeprefix("the ").removeprefix("**").partition("**")
        if "**" in plain and not rest.startswith(" ended"):
            yield mark, rest.strip(" :")
        else:
            yield "turn", plain.replace("**", "")


def _source_parts(answered: RecentAnswer, receipt: Receipt, source: str) -> list[dict[str, str]]:
    """Split the source where its outcome changes: in this message, in another, changed by a rule, or not shown."""
    outcomes = [""] * len(source)
    result = answered.result
    others = [span for one in result.receipts for span in one.message.spans]
    lost = [span for one in result.dropped for span in one.spans]
    changed = [span for one in receipt.message.edits for span in one.spans]
    # Later entries overwrite earlier ones, so "shown" wins over all others.
    for outcome, spans in (
        ("lost", lost),
        ("other", others),
        ("changed", changed),
        ("shown", receipt.message.spans),
    ):
        for start, end in spans:
            outcomes[start:end] = [outcome] * len(source[start:end])
    groups = groupby(zip(outcomes, source, strict=True), key=lambda one: one[0])
    return [{"kind": outcome, "text": "".join(sign for _, sign in signs)} for outcome, signs in groups]


def _about(answered: RecentAnswer, receipt: Receipt) -> Iterator[str]:
    message, result, settings = receipt.message, answered.result, answered.settings
    # One line per question that a user may have: which answer, why the cut, why the wait.
    number = answered.ids.index(receipt.id) + 1
    ending = f"({result.ending}{_model_of(answered)})"
    yield f"message {number} of {len(answered.ids)} of turn `{answered.turn}` {ending}"
    yield from _about_turn(result)
    yield f"**cut** ({message.boundary}): {_BOUNDARIES[message.boundary]}"
    piece, pieces = message.piece
    if pieces > 1:
        degree = f"degree {settings.degree:d} ({Degree(settings.degree).name})"
        yield f"then **split**: piece {piece} of {pieces}, at {degree}"
    yield f"**waited** {_wait(receipt)}"
    if number == 1 and result.counts.first_event is not None and result.counts.first_message is not None:
        first, shown = result.counts.first_event, result.counts.first_message
        yield f"the model's first word came after {first:.2f} s, the first message was sent after {shown:.2f} s"
    if len(receipt.frames) > 1:
        yield f"**grew** in {len(receipt.frames)} frames: {_frames(receipt.frames)}"
    if message.speaker is not None:
        yield f"**said as** {_quote(message.speaker.name)}"
    if receipt.changes:
        yield f"on its way: {', '.join(receipt.changes)}"
    if "adopted" in receipt.changes:
        yield "another process had sent it before it ended; it was **found again** after the restart"


def _model_of(answered: RecentAnswer) -> str:
    return f", model `{_bare(answered.model)}`" if answered.model else ""


def _about_turn(result: TurnResult) -> Iterator[str]:
    """Explain what is the same for all messages of an answer."""
    if result.attempts:
        tried = ", then ".join(f"`{_bare(attempt)}`" for attempt in result.attempts[:MAX_LINES])
        more = len(result.attempts) - MAX_LINES
        yield f"**asked** {tried}{f' and {more} more' if more > 0 else ''}"
    for seam in result.seams[:MAX_LINES]:
        yield _seam(seam)
    if result.other_speaker:
        yield f"the **speaker guard** ended it at a line of {_quote(result.other_speaker)}"
    elif result.stop_sequence:
        yield f"the **stop string** {_quote(result.stop_sequence)} ended it"


def _seam(seam: Seam) -> str:
    """Explain where an answer was cut off, and who continued."""
    after = f"**was cut off** after {seam.at:,} characters of the model"
    why = f" (`{_bare(seam.reason)}`)" if seam.reason else ""
    by = f"`{_bare(seam.by)}`" if seam.by else "the model"
    match seam.how:
        case "resumed":
            return f"{after}{why}; the same stream of {by} was taken up again"
        case "restarted":
            return f"{after}{why}; {by} began once more"
        case _:
            repeated = f" and left out {seam.removed:,} characters that were repeated" if seam.removed else ""
            return f"{after}{why}; {by} continued{repeated}"


def _frames(frames: Sequence[tuple[float, int]]) -> str:
    """List the length of a live message over time; of many frames, the first and the last."""
    shown = frames if len(frames) <= MAX_LINES else (*frames[: MAX_LINES - 2], *frames[-2:])
    words = [f"{length} characters after {after:.1f} s" for after, length in shown]
    if len(shown) < len(frames):
        words.insert(MAX_LINES - 2, "…")
    return ", ".join(words)


def _wait(receipt: Receipt) -> str:
    planned = receipt.message.delay
    if not planned:
        return "only for Discord"
    return f"up to {planned:.2f} s after the previous message, as if typed; the model's own time counts"


def _edits(receipt: Receipt) -> Iterator[str]:
    edits, added = receipt.message.edits, receipt.message.added
    hidden = "||" in receipt.message.content  # the changed text may be inside a spoiler
    for edit in edits[:MAX_LINES]:
        after = _quote(edit.after, hidden=hidden) if edit.after else "nothing"
        yield f"**rule** {edit.rule}: {_quote(edit.before, hidden=hidden)} → {after}"
    if len(edits) > MAX_LINES:
        yield f"… and {len(edits) - MAX_LINES} more edits"
    for one in added[:MAX_LINES]:
        yield f"**added** {one.where} it ({one.why}): {_quote(one.text)}"
    if not (edits or added):
        yield "no rule changed it"


def _quote(text: str, *, hidden: bool = False) -> str:
    if not text.strip():
        return "white space"
    if not hidden or not text.strip(_SPOILER_CHARS):
        return f"`{_bare(text)}`"
    # Quote hidden text inside a spoiler of its own.
    return f"||`{_bare(text).replace('||', '|' + _SEPARATOR + '|')}`||"


def _bare(text: str) -> str:
    """Return the text on one line, shortened, and without backticks."""
    words = " ".join(text.split()).replace("`", "ˋ")
    return words if len(words) <= MAX_QUOTE_CHARS else f"{words[:40]} … {words[-15:]}"

"""Remember the last answers by their messages, and explain a message (`/why`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from streamcord import Attachment, Boundary, Degree, Ending, Receipt, Settings, TextDelta, TurnResult
from streamcord.records import Seam
from streamcord.utils import BoundedCache

from ..messages.chat_message import ChatMessage


@dataclass(frozen=True, slots=True)
class RecentAnswer:
    """One answer, with the settings and the model that made it."""

    turn: str
    channel: int
    owner: int
    asked: tuple[int, ...]
    """The messages of the question; the last one was replied to."""
    model: str
    settings: Settings
    result: TurnResult
    private: bool = False
    """Whether only the owner saw it."""
    persona: str = ""
    """The persona that was asked; empty is the one of the channel."""
    steered: tuple[ChatMessage, ...] = ()
    """The follow-ups that it has taken over."""

    def is_visible_to(self, person: int) -> bool:
        """Return whether a person may learn anything of this answer."""
        return not self.private or person == self.owner

    def answers(self, message: int) -> bool:
        """Return whether a message is a part of the question, or a follow-up of it."""
        return message in self.asked or any(one.id == message for one in self.steered)

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the answer's messages."""
        return tuple(receipt.id for receipt in self.result.receipts)

    @property
    def can_continue(self) -> bool:
        """Whether the answer could be continued."""
        return self.result.ending not in {Ending.EMPTY_RESPONSE, Ending.SPEAKER_GUARD}

    def receipt(self, id_: int) -> Receipt | None:
        """Return the receipt of one of its messages."""
        return next((receipt for receipt in self.result.receipts if receipt.id == id_), None)


class RecentAnswers:
    """The last `cap` messages; older ones are forgotten."""

    def __init__(self, cap: int = 2000) -> None:
        self._by_message: BoundedCache[int, RecentAnswer] = BoundedCache(cap)
        # The newest answer of each channel, if it sent no message.
        self._without_message: BoundedCache[int, RecentAnswer] = BoundedCache(cap)
        # What models wrote in each turn; only kept after `keep_sources`.
        self._sources: BoundedCache[str, list[str]] | None = None

    def __len__(self) -> int:
        return len(self._by_message)

    def keep(self, answered: RecentAnswer) -> None:
        """Remember an answer."""
        for id_ in answered.ids:
            self._by_message.keep(id_, answered)
        if answered.ids:
            self._without_message.drop(answered.channel)
        else:
            self._without_message.keep(answered.channel, answered)

    def keep_sources(self, cap: int = 100) -> None:
        """From now on, also keep the unchanged model output of the last `cap` turns."""
        self._sources = BoundedCache(cap)

    def record_event(self, turn: str, event: object) -> None:
        """Record model output of a turn."""
        if self._sources is None or not isinstance(event, TextDelta):
            return
        self._sources.find_or_make(turn, list).append(event.text)

    def source(self, answered: RecentAnswer) -> str:
        """Return the model output of a turn, if it was kept; of several attempts the last one."""
        chunks = self._sources.peek(answered.turn) if self._sources is not None else None
        count = answered.result.counts.received
        # Several attempts append to the same list; the last one is at the end.
        return "".join(chunks or ())[-count:] if count else ""

    def find(self, id_: int, reader: int) -> RecentAnswer | None:
        """Return the answer that a message belongs to, if the person `reader` may see it."""
        answered = self._by_message.peek(id_)
        return answered if answered is not None and answered.is_visible_to(reader) else None

    def find_by_question(self, message: int) -> RecentAnswer | None:
        """Return the last answer to a question that this message is a part of."""
        newest_first = reversed([*self._by_message.items()])
        return next((one for _, one in newest_first if one.ids and one.answers(message)), None)

    def last_in(self, channel: int, reader: int) -> int:
        """Return the id of our newest message in a channel that this person may see, or 0."""
        newest_first = reversed([*self._by_message.items()])
        return next(
            (id_ for id_, one in newest_first if one.channel == channel and one.is_visible_to(reader)), 0
        )

    def find_without_message(self, channel: int, reader: int) -> RecentAnswer | None:
        """Return the newest answer of a channel if it sent no message and this person may see it."""
        answered = self._without_message.peek(channel)
        return answered if answered is not None and answered.is_visible_to(reader) else None

    def forget_owner(self, person: int) -> None:
        """Forget all answers to a person."""
        for channel in [id_ for id_, one in self._without_message.items() if one.owner == person]:
            self._without_message.drop(channel)
        for id_ in [id_ for id_, one in self._by_message.items() if one.owner == person]:
            self._by_message.drop(id_)

    def forget(self, id_: int) -> None:
        """Forget a message that was deleted."""
        self._by_message.drop(id_)


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


def table_source(answered: RecentAnswer, id_: int) -> str:
    """Return the Markdown of the tables and drawings that a message shows as pictures."""
    receipt = answered.receipt(id_)
    files = receipt.message.files if receipt else ()
    return "\n\n".join(file.source for file in files if not isinstance(file, Attachment))


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

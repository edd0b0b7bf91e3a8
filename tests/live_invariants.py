"""Invariant Growth as plain functions: an answer as people see it grow, and all that is wrong with that.

Whatever is shown of a message while it grows is a part of the message that it becomes, and whole Markdown by
itself; nothing is shown that must be hidden. The text of all messages together is that of degree 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from markdown_oracle import read
from spoiler_invariant import leaks
from streamcord import AnswerContext
from streamcord._delivery.live.lagging_text import without_closers
from streamcord._events import Degree, Message, Table
from streamcord._text.pipeline import Pipeline
from wholeness import _code_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamcord._settings import AnswerContext, Settings


@dataclass(slots=True)
class Growth:
    """One answer as people see it grow: which message each frame belongs to, and what it says."""

    messages: list[Message] = field(default_factory=list)
    frames: list[tuple[int, Message]] = field(default_factory=list)

    @classmethod
    def watch(cls, chosen: Settings, slices: Sequence[str], context: AnswerContext | None = None) -> Growth:
        """Feed an answer, and look at every step."""
        pipeline, growth = Pipeline(chosen, Random(0), context=context), cls()
        for piece in slices:
            growth._take(pipeline.feed(piece))
            if pipeline.has_grown() and (draft := pipeline.draft()):
                growth.frames.append((len(growth.messages), draft.message))
        growth._take(pipeline.flush())
        return growth

    def _take(self, events: Sequence[object]) -> None:
        self.messages += [event for event in events if isinstance(event, Message)]

    @property
    def text(self) -> str:
        """All that is said, without white space and without what was added at cuts."""
        return "".join("".join(words(message).split()) for message in self.messages)


def words(message: Message) -> str:
    """What the model said in a message."""
    text = without_closers(message)
    for added in message.added:
        if added.where == "before":
            text = text.removeprefix(added.text)
    return text + "".join(file.source for file in message.files if isinstance(file, Table))


def broken(growth: Growth, limit: int) -> list[str]:
    """All that is wrong with what people saw."""
    wrong = [f"too long: {len(one.content)}" for one in growth.messages if len(one.content) > limit]
    for number, frame in growth.frames:
        whole = words(growth.messages[number]) if number < len(growth.messages) else ""
        if not whole.startswith(words(frame).rstrip()):
            wrong.append(f"shown and taken back: {frame.content[-80:]!r}")
        final = growth.messages[number].content if number < len(growth.messages) else ""
        if _code_blocks(frame.content) is None and _code_blocks(final) is not None and read(final).certain:
            wrong.append(f"an open block: {frame.content[-80:]!r}")
        wrong += [f"half of {kind}: {frame.content[-80:]!r}" for kind in halves(frame, final)]
        if "||" not in frame.content and "||" not in final:
            continue
        wrong += [f"a secret: {secret!r}" for secret in leaks(frame.content) if secret not in leaks(final)]
    return wrong


def halves(frame: Message, final: str) -> list[str]:
    """What the oracle reads in the whole message and not in the part of it that is shown."""
    length = len(without_closers(frame).rstrip())
    shown, whole = read(frame.content), read(final)
    if not (shown.certain and whole.certain):
        return []
    seen = {(one.kind, one.start): one.end for one in shown.regions}
    begun = [one for one in whole.regions if one.start < length]
    return [
        one.kind
        for one in begun
        if (end := seen.get((one.kind, one.start))) is None or (one.end <= length and end != one.end)
    ]


def misgrown(
    text: str, settings: Settings, slices: Sequence[str], context: AnswerContext | None = None
) -> list[str]:
    """All that is wrong with an answer that grows, in these slices."""
    growth = Growth.watch(settings, slices, context)
    wrong = broken(growth, max(settings.message_length, settings.live_limit - 50))
    if settings.degree < Degree.HEAVY:
        zero = Growth.watch(replace(settings, delivery="messages", degree=Degree.NONE), [text], context)
        wrong += [f"{growth.text!r} is not {zero.text!r}"] if growth.text != zero.text else []
    return wrong


WORDS = ("so", "the", "answer", "is", "not", "quite", "what", "you", "would", "think", "of", "when", "home")


def mixed_line(random: Random) -> str:
    """A first line, and a long one that has something in it that must not be shown before it is whole."""
    before, inside, behind = (" ".join(random.choices(WORDS, k=count)) for count in (12, 14, 12))
    kinds = ("||{}||", "|| {} ||", "[{}](https://example.com/a)", "**{}**", "*{}*", "~~{}~~", "`{}`", "({})")
    whole = random.choice(kinds).format(inside)
    return f"Well, this is the first line.\n{before} {whole} {behind} and {behind}.\nThat is all."

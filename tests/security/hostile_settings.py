"""Settings that a server may choose to hurt others, texts that a model may be made to write, and a stopwatch.

What runs on the event loop between two breaths is one call of the pipeline; `longest_step` is the processor
time of the longest one.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from streamcord import AnswerContext, Emoji, Person, Persona, Pipeline, Settings, Sprite
from streamcord._common.fields import FieldSpec
from streamcord._turn.event_router import PIECE_CHARS, in_pieces
from streamcord.store import Place, Store
from streamcord_bot.config import BotConfig
from streamcord_bot.config.settings_catalog import all_settings, list_values
from streamcord_bot.policy.channel_config import ChannelConfigs

UNITS = (
    *("<br>x ", "<details><summary", "<details>", "</details>", "<think>", "</think>", "<b>x"),
    *("&amp;", "<a b='", "||", "|| ", " || a", "**a", "*", "__", "_a ", "~~", "`", "``", "```"),
    *("```\n", "```py\n", "~~~\n", "\n```\n", "> ", ">>> ", "- a\n", "  - b\n", "1. ", "a) "),
    *("# h\n", "-# s\n", "---\n", "| a | b |\n", "|---|---|\n", "a|b\n", "[x](http://a.b/", "["),
    *("](", "http://a.b/c ", "<http://", "<@1>", "<@", "@ann ", "@{1}", "<t:1:R>", "<:wave:1>"),
    *(":wave:", ":a:", ":pizza: ", "$$", "$x$ ", "\\[", "\\(", "\\begin{a}", "\\frac{1}{2}", "{"),
    *("}", "\\", "^_^ ", "Luna (mad): ", "Luna: ", "\nRex: ", "Ann:\n", "alice: ", "(", ")"),
    *("「", "」", '"', "“", "„", "¿", "«a ", ". ", "! ", "?!", "...", "…", ", ", "x,", "a b "),
    *("word ", "Dr. ", "3. Juni ", "\n", "\n\n", " ", "\t", "\r\n", "\u200b", "\u2800", "\u00b7"),
    *("🇩🇪", "👨‍👩‍👧", "e\u0301", "日本語", "。", "ไทย", "ا", "sk-abcdefghijklmnop", "AKIA"),
    *("eyJ",),
)  # fmt: skip
LUNA = Persona(
    "Luna", ("Moon",), "luna.png", (Sprite("mad", "mad.png"), Sprite("ghost", None, identity=True))
)
CAST = AnswerContext(
    persona=LUNA,
    personas=(Persona("Rex"), Persona("Ren", ("R.",))),
    people=tuple(Person(number, f"ann{number}", ("Ann", f"alice {number}")) for number in range(1, 60)),
    emoji=tuple(Emoji(f"wave_{number}", number) for number in range(1, 100)),
)
TEXT_LENGTH = 20_000
_BOUND_TO_OTHERS = {"pause_min", "pause_max", "comma_removal_chance", "comma_break", "overflow_before"}
"""Not drawn, so that no case is refused; none of them makes anything slower."""


@dataclass(frozen=True, slots=True)
class HostileCase:
    """What someone set, what the model says then, and in pieces of which length it comes."""

    seed: int
    stored: dict[str, Any]
    text: str
    piece: int


def draw_case(seed: int, length: int = TEXT_LENGTH) -> HostileCase:
    """The case of a seed: a few settings at their ends, a few signs over and over."""
    draw = Random(seed)
    share = draw.random()
    specs = [spec for spec in all_settings().values() if spec.name not in _BOUND_TO_OTHERS]
    # Each setting is drawn by its name, so that a seed stays the same case when there are more settings.
    draws = {spec.name: Random(f"{seed} {spec.name}") for spec in specs}
    stored = {
        spec.name: _draw_value(draws[spec.name], spec) for spec in specs if draws[spec.name].random() < share
    }
    stored["overflow_before"] = 0
    pattern = "".join(draw.choices(UNITS, k=draw.choice([1, 1, 2, 3, 5, 12])))
    if draw.random() < 0.3:
        text = "".join(draw.choices(UNITS, k=length // 3))[:length]
    else:
        text = (draw.choice(["", "\n".join(UNITS)]) + pattern * (length // len(pattern)))[:length]
    return HostileCase(seed, stored, text, draw.choice([7, 64, 700, 2048]))


def _draw_value(draw: Random, spec: FieldSpec) -> object:
    """A value that `/settings` takes: most often the highest or the lowest."""
    if values := list_values(spec):
        chosen = draw.choice(values)
        return {"true": True, "false": False}.get(chosen, int(chosen[0]) if spec.name == "degree" else chosen)
    if spec.hint in (int, float):
        maximum = 10**15 if spec.is_id else spec.maximum or 0
        return spec.hint(draw.choice([spec.minimum or 0, maximum, maximum, maximum / 2]))
    if spec.hint is str:
        return draw.choice(["", "x" * 1000, *UNITS])
    return [draw.choice(UNITS) * 3 for _ in range(draw.randrange(40))] if "str" in str(spec.hint) else [1, 2]


async def find_settings(config: BotConfig, store: Store, case: HostileCase) -> tuple[Settings, AnswerContext]:
    """What counts for an answer where all this was set: the file's ceiling is applied."""
    place = Place(1, case.seed + 1)
    await store.change_settings(place, case.stored)
    channel_config = await ChannelConfigs(config, store).find(place)
    return channel_config.settings, replace(CAST, prefill=channel_config.answer_context.prefill)


def longest_step(chosen: tuple[Settings, AnswerContext], case: HostileCase) -> float:
    """The processor time of the longest call, in seconds; what collecting garbage takes is not counted."""
    pipeline = Pipeline(chosen[0], Random(case.seed), context=chosen[1])
    longest = 0.0
    gc.collect()
    gc.disable()
    try:
        for step in steps(pipeline, case):
            start = time.thread_time()
            step()
            longest = max(longest, time.thread_time() - start)
    finally:
        gc.enable()
    return longest


def steps(pipeline: Pipeline, case: HostileCase) -> Iterator[Callable[[], object]]:
    """What a turn does for a text, between two breaths each."""
    heard = (case.text[at : at + case.piece] for at in range(0, len(case.text), case.piece))
    for piece in (str(piece) for text in heard for piece in in_pieces(text)):
        yield partial(_feed, pipeline, piece)
        while pipeline.has_backlog:
            yield pipeline.process_batch
    if pipeline.buffered_chars > PIECE_CHARS:
        yield partial(_flush, pipeline)
        while pipeline.has_backlog:
            yield pipeline.process_batch
    yield pipeline.flush


def _feed(pipeline: Pipeline, piece: str) -> None:
    pipeline.feed_deferred(piece)
    pipeline.process_batch()


def _flush(pipeline: Pipeline) -> None:
    pipeline.flush_deferred()
    pipeline.process_batch()

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

from streamcord import Emoji, Person, Persona, Pipeline, Settings, Sprite
from streamcord._bot.config import BotConfig
from streamcord._bot.config.settings_catalog import all_settings, list_values
from streamcord._bot.conversation.channel_config import ChannelConfigs
from streamcord._shared.fields import FieldSpec
from streamcord._turn.event_router import PIECE_LENGTH, in_pieces
from streamcord.store import Place, Store

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
CAST: dict[str, Any] = {
    "persona": LUNA,
    "personas": (Persona("Rex"), Persona("Ren", ("R.",))),
    "people": tuple(Person(number, f"ann{number}", ("Ann", f"alice {number}")) for number in range(1, 60)),
    "emoji": tuple(Emoji(f"wave_{number}", number) for number in range(1, 100)),
}
TEXT_LENGTH = 20_000
_BOUND_TO_OTHERS = {"pause_least", "pause_most", "comma_removed", "comma_break", "overflow_back"}
"""Not drawn, so that no case is refused; none of them makes anything slower."""


@dataclass(frozen=True, slots=True)
class HostileCase:
    """What somebody set, what the model says then, and in pieces of which length it comes."""

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
    stored["overflow_back"] = 0
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
        most = 10**15 if spec.is_id else spec.most or 0
        return spec.hint(draw.choice([spec.least or 0, most, most, most / 2]))
    if spec.hint is str:
        return draw.choice(["", "x" * 1000, *UNITS])
    return [draw.choice(UNITS) * 3 for _ in range(draw.randrange(40))] if "str" in str(spec.hint) else [1, 2]


async def find_settings(config: BotConfig, store: Store, case: HostileCase) -> Settings:
    """What counts for an answer where all this was set: the file's ceiling is applied."""
    place = Place(1, case.seed + 1)
    await store.change_settings(place, case.stored)
    channel_config = await ChannelConfigs(config, store).find(place)
    return replace(channel_config.settings, **CAST)


def longest_step(settings: Settings, case: HostileCase) -> float:
    """The processor time of the longest call, in seconds; what collecting garbage takes is not counted."""
    pipeline = Pipeline(settings, Random(case.seed))
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
        while pipeline.behind:
            yield pipeline.go_on
    if pipeline.held > PIECE_LENGTH:
        yield partial(_flush, pipeline)
        while pipeline.behind:
            yield pipeline.go_on
    yield pipeline.flush


def _feed(pipeline: Pipeline, piece: str) -> None:
    pipeline.begin_feed(piece)
    pipeline.go_on()


def _flush(pipeline: Pipeline) -> None:
    pipeline.begin_flush()
    pipeline.go_on()

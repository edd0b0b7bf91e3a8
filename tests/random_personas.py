"""Random personas, sprites, people and emoji, and texts that speak of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from documents import GAPS, MARKERS, WORDS
from streamcord._events import Degree, Speaker
from streamcord._settings import AnswerContext, Emoji, Person, Persona, Settings, Sprite

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("Luna", "Ren", "Al", "J. R.", "Shy Tomori (Lilya)", "*Neo*", "a:b", "日本", "x" * 200, "İo", "User")
MODIFIERS = ("mad", "happy", "ghost", "Ren", "Al", "nobody", "日本")
EMOJI = ("smile", "wave", "smirk", "Smile", "n30")
PIECES = (
    *(f"{name}: " for name in NAMES),
    *(f"\n{name} ({modifier}): " for name in NAMES[:4] for modifier in MODIFIERS),
    *(f":{name}:" for name in (*EMOJI, "nope", "30")),
    *(f" :{name}: " for name in EMOJI),
    "<:smile:123>", "<a:nope:9>", "<:wave:>",
    *(f"@{name}" for name in NAMES), "@{Al}", "@(Luna)", "@[Ren]", "@x|1", "@everyone", "@nobody ",
    "[system: x]", "[System:", "<|im_end|>", "\n\n\n", "\u2800", "\u00b7",
    "\n**Luna:** ", "\nLuna：", "\nAssistant: ",
    "\n#### Deep", "\n---\n", "![alt](https://a.b/c)", "![](https://a.b/c)", "<br>", "\n- [ ] ", "\n- [x] ",
    r"\\(x^2\\)", "$x_1$", "$5", "😀", "👨‍👩‍👧", "1️⃣", "Sure, ", "Sure, here: ",
)  # fmt: skip


def _some(values: Sequence[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), max_size=3)


@st.composite
def casts(draw: st.DrawFn) -> tuple[Settings, AnswerContext]:
    """Settings with all rules on, and a conversation for them."""
    names, switch = st.sampled_from(NAMES), st.booleans()
    sprites = tuple(
        Sprite(name, None, draw(switch), draw(st.sampled_from((True, True, False))))
        for name in draw(_some(MODIFIERS))
    )
    settings = Settings(
        degree=Degree(draw(st.integers(0, 3))),
        message_length=draw(st.sampled_from((32, 60, 200, 1950))),
        humanize=draw(switch),
        emoji_usage=draw(st.sampled_from((True, True, False))),
        emoji_preserve_unresolved_shortcodes=draw(switch),
        uncensor_unicode_space=draw(switch),
        strip_middle_dots=draw(switch),
        speaker_guard=draw(st.sampled_from(("off", "off", "known", "any"))),
        message_cap=0,
    )
    context = AnswerContext(
        persona=Persona(draw(names), tuple(draw(_some(NAMES))), None, sprites, draw(switch)),
        personas=tuple(Persona(name) for name in draw(_some(NAMES))),
        people=tuple(
            Person(number, name.lower(), (name,)) for number, name in enumerate(draw(_some(NAMES)), 1)
        ),
        emoji=tuple(Emoji(name, 1000 + number) for number, name in enumerate(draw(_some(EMOJI)))),
        recent_messages=tuple(f"a :{name}: b" for name in draw(_some(EMOJI))),
        prefill=draw(st.sampled_from(("", "", "Sure, here: ", "One.\nTwo.\nLuna: @Al :smile:"))),
        previous_speaker=draw(
            st.sampled_from((None, Speaker("Luna"), Speaker("Luna", None, "Luna (mad): ")))
        ),
    )
    return settings, context


def spoken_text() -> st.SearchStrategy[str]:
    """Labels, handles and emoji among words and markers."""
    pieces = st.sampled_from(PIECES * 2 + MARKERS + WORDS * 2 + GAPS * 4)
    return st.one_of(st.lists(pieces, max_size=8), st.lists(pieces, min_size=8, max_size=24)).map("".join)

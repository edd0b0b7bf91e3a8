"""Models that break off in mid-answer, and models that go on in styles of their own; what became of the seam."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from random import Random

from streamcord import (
    Finish,
    Overloaded,
    ProviderError,
    ProviderEvent,
    Settings,
    TextDelta,
    Truncated,
    TurnResult,
    Usage,
    say,
)
from streamcord.providers import AssistantMessage, Options, Prompt, RetryPolicy, Text, user, with_fallbacks
from streamcord.testing import FakeChannel

CUT = Truncated("the connection closed")

TEXTS = (
    (
        "The old lighthouse stood at the edge of the world, or so the villagers said. Every evening, Mara "
        'climbed its 312 steps and lit the lamp. "Why do you stay?" asked the boy.\n\n- First, the ships need '
        "her.\n- Second, she likes the silence.\n\nIn the end the boy stayed, too. They painted the door blue, "
        "planted beans behind the wall, and never spoke of the city again."
    ),
    (
        "To boil an egg, bring water to a rolling boil first. Then lower the egg in with a spoon, and wait.\n\n"
        "## How long?\n\n| minutes | result |\n| --- | --- |\n| 4 | runny |\n| 7 | soft |\n| 10 | hard |\n\nA "
        "larger egg takes a minute longer. **Do not skip the cold water**: it stops the cooking, and the shell "
        "comes off more easily. I always add a pinch of salt, because my grandmother did."
    ),
    (
        "Here is a function that counts words:\n\n```python\ndef count_words(text):\n    words = {}\n    for "
        "word in text.split():\n        words[word] = words.get(word, 0) + 1\n    return words\n```\n\nCall it "
        'with `count_words("a b a")`. It returns `{"a": 2, "b": 1}`. If the text is long, you may want to use '
        "`collections.Counter` instead, which is faster and does the same."
    ),
    (
        "Der Hund lief durch den Wald und sah einen Hasen. Der Hase erschrak und sprang in den Bach, obwohl er "
        "nicht schwimmen konnte. Am Ende waren beide nass, und die Sonne schien auf die Wiese. Niemand wusste, "
        "warum der Jäger gelacht hatte; er selbst sprach nie darüber."
    ),
    (
        "昔々、あるところにおじいさんとおばあさんがいました。おじいさんは山へ芝刈りに、おばあさんは川へ洗濯に行きました。すると、大きな桃がどんぶらこと流れてきました。「これは立派な桃だ」とおばあさんは言って、家に持って帰りました。"
    ),
    (
        "Había una vez una tortuga que quería volar. Cada mañana subía a la piedra más alta y saltaba, pero "
        "siempre caía en la arena. «¿Por qué lo haces?», preguntó la gaviota. «Porque un día la arena estará "
        "lejos», respondió ella, y volvió a subir."
    ),
    (
        "Il faut trois choses pour faire un bon pain : de la farine, de l'eau et du temps. Le reste n'est que "
        "détail. Mélangez d'abord la farine et l'eau, puis laissez reposer la pâte pendant une heure. Ensuite, "
        "ajoutez le sel ; jamais avant."
    ),
    (
        "1. **Open the settings.** You find them behind the gear.\n2. **Choose a language.** The bot answers "
        "in it from then on.\n3. **Save.** If nothing happens, reload the page.\n\nThat's it! If you get lost, "
        "type `/help`, and somebody (probably me) will find you. :)"
    ),
)
"""Answers of several kinds and languages."""


def last_sentence(text: str) -> int:
    """Where the last sentence or line of a text begins."""
    return max((found.end() for found in re.finditer(r"[.!?。]\s*|\n+", text.rstrip())), default=0)


def last_words(text: str, count: int) -> int:
    """Where the last words of a text begin."""
    starts = [found.start() for found in re.finditer(r"\S+", text)]
    return starts[-count] if len(starts) >= count else 0


def other_words(text: str) -> str:
    """The beginning of an answer in other words, and then something else."""
    return (
        text[: 40 if " " in text[:40] else 10]
        + " was only the beginning of a very different tale that we tell some other day."
    )


STYLES: dict[str, Callable[[str, str], str]] = {
    "goes on exactly": lambda _, rest: rest,
    "goes on without the space": lambda _, rest: rest.lstrip(),
    "repeats the cut word": lambda before, rest: before[last_words(before, 1) :] + rest,
    "repeats four words": lambda before, rest: before[last_words(before, 4) :] + rest,
    "repeats 30 characters": lambda before, rest: before[-30:] + rest,
    "repeats its last sentence": lambda before, rest: before[last_sentence(before) :] + rest,
    "starts over, word for word": lambda before, rest: before + rest,
    "starts over with other spaces": lambda before, rest: f"{' '.join(before.split())}{rest}",
    "announces it": lambda _, rest: f"Sure, here is the rest:\n\n{rest}",
    "announces it and repeats": lambda before, rest: (
        f"Of course! Continuing:\n\n{before[last_words(before, 5) :]}{rest}"
    ),
    "begins with dots": lambda _, rest: f"...{rest.lstrip()}",
    "starts over in other words": lambda before, _: other_words(before),
    "ignores it": lambda *_: (
        "The weather is fine today. It will rain tomorrow, so take an umbrella when you go out."
    ),
}
"""How a model goes on, from the text before and the rest."""

TRIMMED = frozenset({"goes on without the space", "begins with dots"})
"""Nobody can tell whether the two words at such a seam are one."""


class CutModel:
    """A model that writes a text and goes on where its prompt ends; it breaks off as told.

    Args:
        text: What it writes.
        style: How it goes on.
        breaks: After how many characters each request breaks off; the last ones are whole.
        continues: Whether it continues a prefill.
        error: What it breaks off with.
        size: Characters of a piece.

    """

    def __init__(
        self,
        text: str = TEXTS[0],
        style: Callable[[str, str], str] = STYLES["goes on exactly"],
        *,
        breaks: Sequence[int | None] = (),
        continues: bool = False,
        error: Exception = CUT,
        size: int = 7,
    ) -> None:
        self.continues = continues
        self.prompts: list[Prompt] = []
        self._text = text
        self._style = style
        self._breaks = list(breaks)
        self._error = error
        self._size = size

    async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        self.prompts.append(prompt)
        before = prompt.prefill or said_before(prompt)
        words = self._style(before, self._text[len(before) :]) if before else self._text
        length = self._breaks.pop(0) if self._breaks else None
        said = words[:length]
        for at in range(0, len(said), self._size):
            yield TextDelta(said[at : at + self._size])
        if length is not None:
            raise self._error
        yield Usage(10, 5)
        yield Finish()


def said_before(prompt: Prompt) -> str:
    """The model's last message, if it was asked to go on with it."""
    answers = [one for one in prompt.messages if isinstance(one, AssistantMessage)]
    return "".join(part.text for part in answers[-1].parts if isinstance(part, Text)) if answers else ""


_SIGN = r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]"


def words_of(text: str) -> list[str]:
    """The words and signs of a text; in scripts without spaces each letter is one."""
    return re.findall(rf"{_SIGN}|(?:(?!{_SIGN})\w)+|[^\w\s]", text)


@dataclass(frozen=True)
class Trial:
    """What became of one cut."""

    style: str
    text: str
    cut: int
    shown: str
    by: str
    """Who went on: `fallback` is the model with the style, `third` goes on exactly, `none` if both were refused."""
    lost: int
    doubled: int

    @property
    def is_equal(self) -> bool:
        """Whether the text is that of the uncut answer, character by character."""
        return self.shown.strip() == self.text.strip()

    @property
    def seam(self) -> str:
        """The text around the seam, with a mark at it."""
        at = self.cut
        return f"{self.shown[max(0, at - 45) : at]}▮{self.shown[at : at + 45]}".replace("\n", "⏎")


async def try_cut(seed: int) -> Trial:
    """Cut an answer at a place, and let a fallback go on in a style; all three follow from the seed."""
    random = Random(seed)
    style = list(STYLES)[seed % len(STYLES)]
    text = random.choice(TEXTS)
    cut = random.randint(12, len(text) - 12)
    return await play_cut(style, text, cut, STYLES[style], random)


async def play_cut(
    style: str, text: str, cut: int, go_on: Callable[[str, str], str], random: Random
) -> Trial:
    """Cut an answer, and let a fallback go on; if it does not, a third model goes on exactly."""
    errors = [Truncated("cut"), Overloaded("the server failed")]
    first = CutModel(text, breaks=[cut, 0, 0], error=random.choice(errors), size=random.randint(1, 30))
    second = CutModel(text, go_on, size=random.randint(1, 30))
    third = CutModel(text, size=random.randint(1, 30))
    provider = with_fallbacks(
        first,
        second,
        third,
        names=["first", "fallback", "third"],
        retry=RetryPolicy(max_attempts=1, pause=0.001),
        after_failure="continue",
    )
    result: TurnResult | None
    try:
        result = await say(FakeChannel(), provider.stream(user("?")), settings=RAW)
        by = result.seams[-1].by if result.seams else "fallback"
    except ProviderError as error:
        # Even the third was refused.
        result, by = error.result, "none"
    assert result is not None
    # A capital at the seam is not another word.
    before, after = words_of(text.casefold()), words_of(result.text.casefold())
    lost = doubled = 0
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        lost += b - a if kind in {"delete", "replace"} else 0
        doubled += d - c if kind in {"insert", "replace"} else 0
    at = result.seams[-1].at if result.seams else cut
    return Trial(style, text, at, result.text, by, lost, doubled)


RAW = Settings(degree=0, rules=False, typing="off")
"""Settings that leave the text as it is."""

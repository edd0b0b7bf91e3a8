"""How models go on after a cut, in other styles and with other texts than those of `cut_models`.

The first rules of `echo_filter` were written for those. These were written later, and shown to the rules as they were.
The texts are in `cut_texts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from providers.cut_models import Trial, last_sentence, last_words, play_cut

_FOLDER = Path(__file__).parent / "cut_texts"


def _read(folder: Path) -> list[str]:
    return [file.read_text(encoding="utf-8").strip() for file in sorted(folder.glob("*.md"))]


TEXTS = _read(_FOLDER)
"""Answers of thirty kinds, in nineteen languages."""
LATER_TEXTS = _read(_FOLDER / "later")
"""Answers that were written when the rules were final; nothing was changed for them."""

ANNOUNCEMENTS = (
    "Sure, continuing:",
    "Sure! Continuing from where I left off:",
    "Here's the rest of my answer:",
    "Certainly, here is the continuation:",
    "好的，继续：",
    "Конечно, продолжаю:",
    "네, 이어서 쓰겠습니다:",
    "Claro, continúo:",
    "Natürlich, hier geht es weiter:",
    "D'accord, je continue :",
    "続きです：",
)
ANOTHER = (
    "It looks like your message was cut off. Could you tell me what you would like me to continue?",
    "Die Hauptstadt von Australien ist Canberra. Viele denken an Sydney, aber das ist nur die größte Stadt.",
    "There are three kinds of clouds: cirrus, cumulus and stratus. Each forms at its own height.",
    "# Answer\n\nTo solve this, open a terminal and install the package. After that, restart the computer.",
    "Здравствуйте! Чем я могу вам помочь сегодня? Расскажите, пожалуйста, подробнее о вашей задаче.",
    "こんにちは！今日はどのようなご用件でしょうか。詳しく教えていただければ、お手伝いします。",
)
_MARKER = re.compile(r"[ \t]*(?:[-*+>]|\d{1,3}[.)]|#{1,6}) +")
_PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "„": '"', "–": "-", "—": "-"})

Style = Callable[[str, str, Random], str]


def _last_line(text: str) -> str:
    return text.rpartition("\n")[2]


def _in_code(text: str) -> bool:
    return text.count("```") % 2 == 1


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _reopened(before: str, rest: str, random: Random) -> str:
    if not _in_code(before):
        return before[last_sentence(before) :] + rest
    fence = before[before.rindex("```") :].partition("\n")[0]
    return f"{fence}\n{_last_line(before) if random.random() < 0.5 else ''}{rest}"


def _renumbered(before: str, rest: str, _: Random) -> str:
    line = _last_line(before)
    marker = _MARKER.match(line)
    return (re.sub(r"\d+", "1", marker[0]) + line[marker.end() :] if marker else line) + rest


def _quoted(before: str, rest: str, random: Random) -> str:
    tail = before[last_words(before, 5) :].strip()
    if random.random() < 0.5:
        return f'"...{tail}"{rest}'
    return f"> {_last_line(before).strip()}\n\n{_last_line(before)}{rest}"


def _other_story(before: str, _: str, random: Random) -> str:
    words = before.split()
    opening = " ".join(words[: random.randint(4, 7)]) if len(words) > 3 else before[:10]
    return f"{opening} and that, in short, is what most people would say about it; the details do not matter."


STYLES: dict[str, Style] = {
    "continues exactly": lambda _, rest, __: rest,
    "repeats the last word": lambda before, rest, _: before[last_words(before, 1) :] + rest,
    "repeats the last word after a space": lambda before, rest, _: (
        " " + before[last_words(before, 1) :] + rest
    ),
    "repeats some words": lambda before, rest, random: (
        before[last_words(before, random.randint(2, 9)) :] + rest
    ),
    "repeats some characters": lambda before, rest, random: before[-random.randint(1, 60) :] + rest,
    "repeats the last sentence": lambda before, rest, _: before[last_sentence(before) :] + rest,
    "repeats the last line": lambda before, rest, _: _last_line(before) + rest,
    "repeats the last paragraph": lambda before, rest, _: (
        before[before.rfind("\n\n") + 1 :].lstrip("\n") + rest
    ),
    "repeats everything": lambda before, rest, _: before + rest,
    "announces it": lambda _, rest, random: f"{random.choice(ANNOUNCEMENTS)}\n\n{rest}",
    "announces it in the same line": lambda _, rest, __: f"Sure, continuing: {rest.lstrip(' ')}",
    "announces it and repeats words": lambda before, rest, random: (
        f"{random.choice(ANNOUNCEMENTS)}\n\n{before[last_words(before, 6) :]}{rest}"
    ),
    "announces it and repeats everything": lambda before, rest, random: (
        f"{random.choice(ANNOUNCEMENTS)}\n\n{before}{rest}"
    ),
    "apologizes and repeats the sentence": lambda before, rest, _: (
        f"I apologize for the interruption. Let me continue.\n\n{before[last_sentence(before) :]}{rest}"
    ),
    "quotes the end": _quoted,
    "begins with a capital": lambda _, rest, __: _capital(rest.lstrip(" ")),
    "repeats words, with a capital": lambda before, rest, _: _capital(before[last_words(before, 4) :]) + rest,
    "drops the space": lambda _, rest, __: rest.lstrip(" "),
    "drops the line break": lambda _, rest, __: rest.lstrip("\n"),
    "adds a space": lambda _, rest, __: f" {rest.lstrip(' ')}",
    "adds a line break": lambda _, rest, __: "\n" + rest.lstrip("\n"),
    "reopens the fence": _reopened,
    "begins the list again": _renumbered,
    "repeats the sentence with plain quotes": lambda before, rest, _: (
        before[last_sentence(before) :].translate(_PLAIN) + rest
    ),
    "repeats the line without marks": lambda before, rest, _: re.sub(r"[*_`]", "", _last_line(before)) + rest,
    "begins with dots": lambda _, rest, __: f"… {rest.lstrip(' ')}",
    "marks it as continued": lambda _, rest, random: (
        random.choice(["(continued) ", "[continued]\n\n", "**Continued:** "]) + rest.lstrip(" ")
    ),
    "sends another answer": lambda _, __, random: random.choice(ANOTHER),
    "starts over in other words": _other_story,
}
"""How a model goes on, from the text before and the rest."""

NOT_CONTINUED = frozenset({"sends another answer", "starts over in other words"})
"""Styles that do not continue the answer, so that the next model is asked."""

UNCERTAIN = frozenset({"repeats some characters", "repeats the line without marks", "quotes the end"})
"""Styles that repeat a part which begins inside of a word, other text than was written, or a few characters."""


async def try_new_cut(seed: int, texts: Sequence[str] = TEXTS) -> Trial:
    """Cut one of these answers, every third time where a word, a line or a block begins or ends."""
    random = Random(seed)
    style = list(STYLES)[seed % len(STYLES)]
    text = random.choice(texts)
    last = len(text) - 2
    edges = [
        found.start() for found in re.finditer(r"\b|\n|(?<=\n)|[*`|>#]", text) if 3 <= found.start() <= last
    ]
    cut = random.choice(edges) if random.random() < 1 / 3 else random.randint(3, last)
    # The model is told of the text that was shown, which may end before the cut.
    return await play_cut(style, text, cut, lambda before, rest: STYLES[style](before, rest, random), random)

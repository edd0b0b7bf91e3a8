"""Invariant Hidden: what a model hides is never readable, and is one message if it fits; with its own idea of both.

`salt` puts spoilers, written as models write them, between the paragraphs of a text; their words are made of
letters that occur nowhere else. `readable` is what one sees of a message in Discord without a click. Nothing
here knows how the core reads: a secret letter that can be read is a fault.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

SECRET = "ѡѣѧѫѯѱѳѵ"
_SECRET = re.compile(f"[{SECRET}]+")
_QUOTE = re.compile(r"(?: *> [^\n]*(?:\n|\Z))+")
_BLOCK_QUOTE = re.compile(r" *>>> ")
_LINE_MARK = re.compile(r" *(?:#{1,3}|-#|[-*]|\d+\.) +")
_TICKS = re.compile("`+")
_URL = re.compile(r"https?://[^\s<]+[^<.,:;\"')\]\s]")
_LINK = re.compile(r"\[((?:\[[^\]]*\]|[^\[\]])+)\]\(\s*<?https?://[^\s<>()]+>?\s*\)")
_EMPHASIS = (
    re.compile(r"(\*\*)((?:\\.|[^\\])+?)\*\*(?!\*)", re.DOTALL),
    re.compile(r"(__)((?:\\.|[^\\])+?)__(?!_)", re.DOTALL),
    re.compile(r"(~~)(.+?)~~(?!_)", re.DOTALL),
    re.compile(r"(\*)(?=\S)((?:\*\*|\\.|\s+(?:\\.|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)", re.DOTALL),
    re.compile(r"(?<!\w)(_)((?:__|\\.|[^\\_])+?)_(?!\w)", re.DOTALL),
)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


# --- What can be read ---------------------------------------------------------------------------------


def readable(text: str) -> str:
    """What one can read of a message without a click, as Discord parses it: blocks, then what is in them."""
    shown, at = "", 0
    while at < len(text):
        if at == 0 or text[at - 1] == "\n":
            block = _BLOCK_QUOTE.match(text, at)
            if block:
                return shown + readable(text[block.end() :])
            quote = _QUOTE.match(text, at)
            if quote:
                shown += readable(re.sub(r"(?m)^ *> ", "", quote[0]))
                at = quote.end()
                continue
            mark = _LINE_MARK.match(text, at)
            if mark:
                end = text.find("\n", mark.end())
                end = len(text) if end < 0 else end
                shown += readable_line(text[mark.end() : end])
                at = end
                continue
        seen, at = _step(text, at)
        shown += seen
    return shown


def readable_line(text: str) -> str:
    shown, at = "", 0
    while at < len(text):
        seen, at = _step(text, at)
        shown += seen
    return shown


def _step(text: str, at: int) -> tuple[str, int]:
    """The next piece: what is seen of it, and where it ends."""
    if text[at] == "\\" and text[at + 1 : at + 2] in _PUNCTUATION and at + 1 < len(text):
        return text[at + 1], at + 2
    if text.startswith("```", at):
        end = text.find("```", at + 4)
        if end >= 0:
            return text[at : end + 3], end + 3
    if text[at] == "`":
        run = _TICKS.match(text, at)
        assert run
        for other in _TICKS.finditer(text, run.end()):
            if len(other[0]) == len(run[0]):
                return text[at : other.end()], other.end()
        return run[0], run.end()
    if text.startswith("||", at):
        end = text.find("||", at + 3)
        if end >= 0:
            return "", end + 2
    if text[at] == "h":
        address = _URL.match(text, at)
        if address:
            return address[0], address.end()
    if text[at] == "[":
        link = _LINK.match(text, at)
        if link:
            return readable_line(link[1]), link.end()
    if text[at] in "*_~":
        for emphasis in _EMPHASIS:
            found = emphasis.match(text, at)
            if found:
                return readable_line(found[2]), found.end()
    return text[at], at + 1


def holds_secret(text: str) -> bool:
    """Whether there is a secret in a text that Discord shows as it is."""
    return _SECRET.search(text) is not None


def leaks(text: str) -> list[str]:
    """The secrets of a message that can be read."""
    return _SECRET.findall(readable(text)) if _SECRET.search(text) else []


_PLAIN_PAIR = re.compile(rf"\|\|(?=[{SECRET}])(?:[{SECRET} ]|\n(?:> |# |[-*] |\d\. )?)+(?<=[{SECRET}])\|\|")
REOPEN_COST_CHARS = 4
"""What a line of a spoiler costs that is closed and reopened."""


def torn(text: str, shown: Sequence[Sequence[tuple[int, int]]], limit: int) -> list[str]:
    """The spoilers of a text that fit one message and are in several; `shown` is what each message shows."""
    found: list[str] = []
    for pair in _PLAIN_PAIR.finditer(text):
        size = _size(pair[0])
        places = [at for at in range(*pair.span()) if text[at] in SECRET]
        owners = [any(start <= at < end for at in places for start, end in spans) for spans in shown]
        if size <= limit and sum(owners) > 1:
            found.append(pair[0])
    return found


def _size(pair: str) -> int:
    return len(pair) + REOPEN_COST_CHARS * (pair.count("\n") + 2)


def tempting_limit(text: str) -> int | None:
    """A length of messages at which a cut would lie in a spoiler of several lines that fits one message."""
    for pair in _PLAIN_PAIR.finditer(text):
        limit = (pair.start() + pair.end()) // 2
        if "\n" in pair[0] and max(_size(pair[0]), 32) <= limit <= 2000:
            return limit
    return None


# --- Spoilers as models write them ----------------------------------------------------------------------


def secret(random: Random, length: int) -> str:
    """Words of about so many secret letters."""
    words: list[str] = []
    while sum(map(len, words)) < length:
        words.append("".join(random.choices(SECRET, k=random.randint(2, 9))))
    return " ".join(words)


def _inner(random: Random) -> str:
    length = random.choice((5, 30, 120, 700, 1900, 2500))
    text = secret(random, length)
    marks = random.choice(("", "", "**", "*", "__", "~~"))
    if marks and random.random() < 0.5:
        half = len(text) // 2
        text = f"{text[:half]}{marks}{secret(random, 8)}{marks}{text[half:]}"
    if random.random() < 0.3:
        text += random.choice((". ", "! ", "\n", " (", ", `x || y` ", " \\|| ")) + secret(random, 20)
    return text


def _pair(random: Random) -> str:
    opened, closed = random.choice((("||", "||"), ("||", " ||"), ("||", "||"), ("|| ", " ||")))
    if opened == "|| ":
        return f"|| {secret(random, random.choice((8, 40, 300)))} ||"
    return opened + _inner(random) + closed


def _in_prose(random: Random) -> str:
    before, after = random.choice(
        (("The killer is ", " as expected."), ("", ""), ("(so ", ")"), ("Well, ", "!"))
    )
    return before + _pair(random) + after


def _in_quote(random: Random) -> str:
    if random.random() < 0.5:
        return f"> He said ||{secret(random, 40)}||\n> and left."
    lead, mark = random.choice((("> ", "> "), ("> So ", "> "), (">>> ", "")))
    before, after = random.choice((("", ""), ("", ""), (f"\n{mark}", f"\n{mark}"), ("", f"\n{mark}")))
    return f"{lead}||{before}{secret(random, 20)}\n{mark}{secret(random, 30)}{after}||\nNobody knew."


def _in_list(random: Random) -> str:
    mark = random.choice(("- ", "* ", "1. "))
    kind = random.randrange(4)
    if kind == 3:  # the bars before `it` close the first pair, those after it open the second
        return f"||{secret(random, 20)}\n{mark}||it||\n{mark}{secret(random, 20)}||\n{mark}end"
    if kind == 0:
        return f"{mark}one\n{mark}two ||{secret(random, 300)}||\n{mark}three"
    if kind == 1:
        items = f"\n{mark}".join(secret(random, 20) for _ in range(3))
        return f"{mark}||{items}||\n{mark}end"
    return f"{mark}one || {secret(random, 30)} ||\n{mark}two"


def _in_heading(random: Random) -> str:
    return (
        f"## The end: ||{secret(random, 30)}||\nText."
        if random.random() < 0.6
        else (f"Hm ||{secret(random, 15)}\n# {secret(random, 15)}\n{secret(random, 15)}||.\nText.")
    )


def _in_table(random: Random) -> str:
    return f"| who | what |\n|---|---|\n| Tom | ||{secret(random, 20)}|| |\n| Ann | x |"


def _beside_code(random: Random) -> str:
    code = random.choice(("use a || b || c here", "if (x || y) then", "`a || b`", "foo() || bar", "a||b"))
    return f"{code}\n\nSo ||{secret(random, 40)}|| it is."


def _beside_formulas(random: Random) -> str:
    opened, closed = random.choice(
        (("$", "$"), ("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("\\begin{a}", "\\end{a}"))
    )
    formula = random.choice(("x^2 = 1", "||x|| = 2", "\\frac{1}{&}", "a_1 ", "5"))
    words = [secret(random, length) for length in random.choices((3, 20, 90), k=3)]
    always = {f" ||{words[0]}", f"{words[2]}|| "}
    pieces = (
        opened,
        formula,
        closed,
        f" ||{words[0]}",
        f" {opened}",
        words[1],
        closed,
        f"{words[2]}|| ",
        opened,
    )
    return "".join(piece for piece in pieces if piece in always or random.random() < 0.6)


def _over_paragraphs(random: Random) -> str:
    fence = f"```py\nprint('{secret(random, 12)}')\n```\n" if random.random() < 0.4 else ""
    return f"Then ||{secret(random, 200)}\n\n{fence}{secret(random, 600)}\n\n{secret(random, 100)}|| the end."


def _across_emphasis(random: Random) -> str:
    """Emphasis that ends inside a spoiler, or is open before it and repeated in it."""
    mark = random.choice(("**", "*", "__", "_", "~~"))
    inside = random.choice(
        (
            f"{secret(random, 6)}{mark} {secret(random, 8)}",
            f"{secret(random, 6)} {mark}{secret(random, 8)}{mark} {secret(random, 4)}",
        )
    )
    return f"So {mark}it was ||{inside}||" + random.choice(("", f" then{mark}", " then", f"{mark} end."))


def _across_link(random: Random) -> str:
    """A link whose text seems to end inside a spoiler, one in a spoiler, one around it."""
    target = random.choice(("https://a.b/c", "<https://a.b>", "x", "https://a.b/c_(d)"))
    first, second = secret(random, 8), secret(random, 20)
    return random.choice(
        (
            f"See [it ||{first}]({target}) {second}|| now.",
            f"||{first} [{second}]({target})|| ok",
            f"[a ||{first}|| b]({target})",
            f"||{first} [{second}|| c]({target})",
            f"[[x] ||{first}]({target})||",
        )
    )


def _without_end(random: Random) -> str:
    return f"It was ||{secret(random, random.choice((10, 900, 4500, 9000)))}"


_KINDS = (
    _in_prose,
    _in_prose,
    _in_quote,
    _in_list,
    _in_heading,
    _in_table,
    _beside_code,
    _beside_formulas,
    _over_paragraphs,
    _across_emphasis,
    _across_link,
)


def ends_in_spaced_pipes(text: str) -> bool:
    """Whether a text ends behind bars that open nothing as long as nothing closes them."""
    return re.search(rf"\|\|[ \n][{SECRET} \n>]*\|?\Z", text) is not None


def salt(paragraphs: list[str], random: Random) -> str:
    """Paragraphs with spoilers between them, perhaps one at the end that never closes."""
    blocks = list(paragraphs)
    for _ in range(random.randint(1, 3)):
        blocks.insert(random.randint(0, len(blocks)), random.choice(_KINDS)(random))
    if random.random() < 0.3:
        blocks.append(_without_end(random))
    return "\n\n".join(blocks)

"""Choose which capital letters become lower case, as if typed in a hurry.

Acronyms and internet slang stay as written, and so does every token that is no word: one with a digit or an
inner capital (`HelloWorld123`, `getUserName`, `youtu.be/dQw4w9`) is an address, code or a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..language.emoticons import emoticon_around
from ..language.punctuation import ENDS, class_of
from ..language.url_hosts import top_level_domains
from ..tokens import lazy_pattern
from ..word_lists import load_words

if TYPE_CHECKING:
    from ..traced_text import Edit

_Range: TypeAlias = tuple[int, int]

INTERNET_WORDS = frozenset(
    "lol rofl lmao lmfao wtf btw omg iirc afaik tbh imo imho fyi idk brb afk ttyl rn smh tysm".split()  # noqa: SIM905
)
"""Slang that keeps its case."""
CAPITALS = "A-Z\u00c0-\u1fff\u2100-\u2183\u24b6-\u2def\ua640-\uabff\uff21-\uff3a\U00010400-\U0001efff"
"""Character class of the ranges that have capitals."""
# Kana, Han and Hangul have no case; without them a word of Latin letters beside them is a word.
_WRITTEN = r"[^\W_\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
_LETTERS = rf"(?:{_WRITTEN}|[\u0300-\u036f])+"
_PART = lazy_pattern(_LETTERS)
_JOINS = r"/\\:@+=&?#%~_."  # between the words of an address, a path, a name in code
_TOKEN = lazy_pattern(rf"(?:{_WRITTEN}|[\u0300-\u036f\u2010\u2011{_JOINS}'’-])+")
_PLAIN = lazy_pattern(
    rf"(?<![\w{_JOINS};'’‑°-])(?:[A-Z][a-z]+|[A-Z]+)(?![\w\u0300-\u036f$€£]|[{_JOINS}'’‑-]{{1,3}}\w)"
)
PLAIN_CAPITAL = (
    rf"(?<=[A-Z])(?<![\w{_JOINS};'^-].)"
    rf"(?:[a-z]++(?:'[a-z]++)?|[A-Z]++)(?![\w$]|[{_JOINS}'-]{{1,3}}\w)"
)
"""Pattern of the rest of a plain ASCII word after its capital: only this capital changes. An acronym stays."""
_NEXT_WORD = re.compile(r"\W{1,8}(\w{1,32})")
_WORD_BEFORE = re.compile(r"\w+")
# `D:`, formulas such as `F = ma`, and emoticons with letters for eyes or arms.
_ODD_LETTER = re.compile(
    r"(?<!\S)(?:D:(?![^\s,.!?)])|[A-Z] ?(?:=(?=[ \w])|≈))|(?<![^\s(])(?:O\.o|T-T|B-\)|O:-?\))(?!\w)|Σ[(（]"
)
_HOST = re.compile(r"(?:[^\W_]|-)+(?:\.(?:[^\W_]|-)+)+")
# `Index.html` is another file than `index.html`; `Node.js` is a name.
_FILE_ENDINGS = frozenset(
    """
    html htm css scss jsx ts tsx json yaml yml toml ini cfg conf env txt md rst pdf doc docx xls xlsx ppt
    pptx csv tsv xml sql log bak png jpg jpeg gif svg webp bmp ico mp3 mp4 wav ogg flac avi mkv mov zip rar
    gz exe dll msi apk iso bat cmd sh py ipynb rb rs go java kt swift cpp hpp cs php lua vue lock
    """.split()  # noqa: SIM905
)
_TURKISH = re.compile("[ğışĞŞİ]")
_TURKISH_SMALL = {"I": "ı", "İ": "i"}
_BESIDE_WORDS = frozenset(" \n\t.,!?;:\"'“”„«»‹›—–-*_~\u00a0\u202f…") | {""}
_MONEY = frozenset("$€£")
_EYES = frozenset(":;=")
_MAX_TOKEN_CHARS = 256
_NEAR_CHARS = 16
_SIGNS = "=+*/^<>≤≥≠≈≡∪∩⊂⊆⊃⊇∈∉→⇒↔∧∨×·÷±∖|%′²³ⁿ₀₁₂₃"
# A sign that joins a letter to something, or a bracket that belongs to it.
_SIGN_AFTER = re.compile(rf"[(\[{{)\]}}]| ?[{re.escape(_SIGNS)}]| ?[-−–] ?(?:[A-Z]\b|\d)|[,;] [A-Z]\b")
_SIGN_BEFORE = re.compile(rf"[\w)\]}}] ?[{re.escape(_SIGNS)}] ?\Z|\w[(\[{{]\Z|\d ?[-−–] ?\Z")
_MATHS = "=+^≤≥≠≈≡∪∩∈×·÷±"
_FACTOR_BEFORE = re.compile(rf" ?[{re.escape(_MATHS)}] ?(?:[^\W\d_](?![^\W_])|[\d(\[])")
_FACTOR_AFTER = re.compile(rf"(?:(?<![^\W_])[^\W\d_]|[\d)\]]) ?[{re.escape(_MATHS)}] ?\Z")
_MAX_SIGN_CHARS = 4
_SENTENCE_START = re.compile(rf"(?:\A|[\n:{class_of(ENDS)}(\[{{\"“‘«„])[\s\"'“”‘«„*_~>#•(\[{{—–-]*\Z")
_FIRST_WORD = re.compile(r"[ \n]+([^\W\d_]+)")
_LETTER_WORDS = frozenset("AIOEYUWZKSV")  # words of one letter: English, Spanish, Polish, Czech
_AFTER_SYMBOL = frozenset("and or is are be und oder ist et ou est y es o e to".split())  # noqa: SIM905
_CAPITAL_BEFORE = re.compile(r"[A-Z][a-z]+ \Z")
_CAPITAL_AFTER = re.compile(r" [A-Z][a-z]")
_GREEK = re.compile("[\u0370-\u03ff]")
_GREEK_WORD = re.compile("[\u0370-\u03ff\u1f00-\u1fff]{2}")


def is_turkish(text: str) -> bool:
    """Return whether `I` is the capital of `ı`: the text has letters that only Turkic languages have."""
    return _TURKISH.search(text) is not None


def lower_word(
    text: str, at: int, done: int, kept: bytearray | None, edits: list[Edit], *, turkish: bool = False
) -> int:
    """Append the edits of the token around a capital, and return where the token ends."""
    plain = _PLAIN.match(text, at)
    if plain is None:
        return _lower_token(text, at, done, kept, edits, turkish=turkish)
    # Most capitals begin a plain word, and nothing but that letter changes.
    word, end = plain[0], plain.end()
    small = word.lower()
    stays = word.isupper() and (len(word) > 1 or _is_shouted(text, at, end))
    if len(word) == 1 and not stays:
        stays = _is_sign(text, at, end, turkish=turkish) or _is_symbol(text, at, end)
    stays = stays or keeps_its_case(text, at, word)
    if not (stays or small in INTERNET_WORDS or (kept is not None and kept.find(1, at, end) >= 0)):
        edits.append((at, at + 1, _TURKISH_SMALL.get(word[0], small[0]) if turkish else small[0]))
    return end


def _is_sign(text: str, at: int, end: int, *, turkish: bool) -> bool:
    """Return whether a single letter is no word: `I. Dünya Savaşı`, `Oh no D:`, `F = ma`, `T^T`, `B)`."""
    if turkish and text[at] == "I" and text[end : end + 1] == ".":
        return True
    return _is_in_emoticon(text, at, end) or (text[at] == "B" and _is_sunglasses_emoticon(text, at))


def is_unit(text: str, at: int, word: str) -> bool:
    """Return whether a word is a unit after its number: `273 K`, `50 Hz`, and `5 Mg`, whatever was meant."""
    number = text[max(0, at - 2) : at].rstrip()[-1:]
    units = load_words("units")
    return number.isdigit() and (word in units or (len(word) > 1 and word[0].lower() + word[1:] in units))


def keeps_its_case(text: str, at: int, word: str) -> bool:
    """Return whether a word with a capital is a unit, or a part of a formula: `Ax + B`, but not `Me + you`."""
    if len(word) > _MAX_SIGN_CHARS:
        return False
    near = text[max(0, at - _NEAR_CHARS) : at]
    factor = _FACTOR_BEFORE.match(text, at + len(word)) or _FACTOR_AFTER.search(near)
    return factor is not None or is_unit(text, at, word)


def _is_symbol(text: str, at: int, end: int) -> bool:
    """Return whether a single letter is a name of something, and no word: `O(n)`, `Let A be`, `vitamin C`.

    `I` is always a word, unless a bracket or a sign touches it. At the start of a sentence, a few letters are.
    """
    letter, before = text[at], text[max(0, at - _NEAR_CHARS) : at]
    if _SIGN_AFTER.match(text, end) or _SIGN_BEFORE.search(before):
        return True
    if text.startswith(". ", end) and not before.rpartition("\n")[2].strip():
        return True  # `I. Introduction`
    if letter == "I":
        return False
    if _SENTENCE_START.search(before):
        following = _FIRST_WORD.match(text, end)
        return letter not in _LETTER_WORDS or following is None or following[1] in _AFTER_SYMBOL
    # A title has capitals on both sides: `Once Upon A Time`.
    return not (letter == "A" and _CAPITAL_BEFORE.search(before) and _CAPITAL_AFTER.match(text, end))


def _is_sunglasses_emoticon(text: str, at: int) -> bool:
    """Return whether `B)` is an emoticon, and not an answer of a list or the end of brackets."""
    alone = text[at + 1 : at + 2] == ")" and not text[max(0, at - 1) : at].strip()
    return alone and "A)" not in text[:at] and text.rfind("(", 0, at) <= text.rfind(")", 0, at)


def _is_shouted(text: str, at: int, end: int) -> bool:
    """Return whether the two words next to a letter are all capitals: `I AM HERE`, not `A USB stick`."""
    following = _NEXT_WORD.match(text, end)
    if following and not (following[1].isupper() and len(following[1]) > 1):
        return False
    after = _NEXT_WORD.match(text, following.end()) if following else None
    near = [word[1] for word in (following, after) if word]
    near += reversed(_WORD_BEFORE.findall(text, max(0, at - 32), at))
    return bool(near) and len(near[0]) > 1 and all(map(str.isupper, near[:2]))


def _lower_token(
    text: str, at: int, done: int, kept: bytearray | None, edits: list[Edit], *, turkish: bool
) -> int:
    """Append the edits of a token that is more than one plain word."""
    start = at
    while start > max(done, at - _MAX_TOKEN_CHARS) and _TOKEN.match(text, start - 1, start):
        start -= 1
    token = _TOKEN.match(text, start, start + 2 * _MAX_TOKEN_CHARS)
    # A sign with a lowercase form that is no letter, such as a circled one.
    if token is None:
        return at + 1
    end = max(token.end(), at + 1)
    if not (_is_code(text, start, token[0]) or _is_in_emoticon(text, start, end)):
        for part in _PART.finditer(text, start, end):
            if kept is None or kept.find(1, *part.span()) < 0:
                edits += _lower_part(text, part.span(), turkish=turkish)
    return end


def _is_in_emoticon(text: str, start: int, end: int) -> bool:
    """Return whether a token is part of an emoticon: `(TдT)`, `Σ(°Д°)`, `T-T`."""
    if _ODD_LETTER.match(text, start):
        return True
    plain = not start or text[start - 1] in _BESIDE_WORDS
    return (
        not (plain and text[end : end + 1] in _BESIDE_WORDS) and emoticon_around(text, start, final=True) > 0
    )


def _is_code(text: str, start: int, token: str) -> bool:
    """Return whether a token is a name, code or an address, whose case matters."""
    if text[start - 1 : start] in {"@", "#"} or token[0] in "@#" or any(map(str.isdigit, token)):
        return True
    inner = _INNER_CAPITAL.finditer(token.lstrip("_:.~"))
    if any(found[0] != found[0].lower() for found in inner):
        return True
    host = _HOST.match(token)
    last = host[0].rpartition(".")[2].lower() if host else ""
    return last in top_level_domains() or last in _FILE_ENDINGS


# A letter after a lowercase one, or after a sign that joins words.
_INNER_CAPITAL = lazy_pattern(rf"(?<=[{_JOINS}])[^\W\d_]|(?<=[^\W\d_{CAPITALS}])[^\W\d_]")


def _lower_part(text: str, span: _Range, *, turkish: bool) -> Sequence[Edit]:
    """Return the edit of one word of a token."""
    start, end = span
    part = text[start:end]
    small = part.lower()
    if small == part or small in INTERNET_WORDS or _keeps_capitals(text, start, end, part):
        return ()
    small = "".join(_TURKISH_SMALL.get(char, char.lower()) if turkish else _lower(char) for char in part)
    changed = [at for at, (one, other) in enumerate(zip(part, small, strict=True)) if one != other]
    first, last = (changed[0], changed[-1] + 1) if changed else (0, 0)
    return ((start + first, start + last, small[first:last]),) if changed else ()


def _lower(char: str) -> str:
    """Return the lowercase letter. Python lowers `İ` to two characters, but a message must not grow."""
    return "i" if char == "İ" else char.lower()


def _keeps_capitals(text: str, start: int, end: int, part: str) -> bool:  # noqa: PLR0911
    """Return whether a word is an acronym (`NASA-like`, but not `D-don't`) or a letter of a shout."""
    if len(part) > 1:
        return part.isupper() or (part[0].isupper() and part[1].isupper())  # `DVDs`, `XXe`
    if _GREEK.match(part) and not _GREEK_WORD.search(text, max(0, start - _NEAR_CHARS), end + _NEAR_CHARS):
        return True  # the Δ of two values
    after = text[end : end + 1]
    if (after.isalnum() and not after.isascii()) or after in _MONEY:
        return True  # an initial, beside kana or Han; `R$`
    if after == "_" and text[end + 1 : end + 2].isalnum():
        return True  # the eye of `O_o`
    before = text[max(0, start - 2) : start]
    if before[-1:] == "°" or (before[-1:] in "-‑" and text[max(0, start - 3) : start - 1].isupper()):
        return True  # `30 °C`, `USB-C`
    if before[-1:] in {"'", "’"} and before[:1] not in _EYES:
        return before[:1].isupper()  # `DON'T`
    return bool(_EMOTICON_BEFORE_MOUTH.fullmatch(before)) or _is_shouted(text, start, end)


_EMOTICON_BEFORE_MOUTH = re.compile(r"\W?[:;=]|[:;=][-^o'’]")  # eyes and nose before the mouth of `:-D`

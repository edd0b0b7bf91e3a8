"""Find emoticons: `:(`, `^_^`, `(づ｡◕‿‿◕｡)づ`, the shrug. Their signs open, close and end nothing.

No list is complete, so emoticons are recognized by structure. A western one has eyes, perhaps a nose, and a
mouth; an eastern one two similar eyes with a mouth between them; a kaomoji is an eastern one in brackets, with
arms. Every lookahead is bounded, and the result is `NEED_MORE` until it is complete: the answer does not depend
on how the text is chunked.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ..tokens import NEED_MORE, NOT_FOUND, lazy_pattern

LOOKAHEAD_CHARS: Final = 32
"""Characters that are read to find the end of an emoticon."""
MAX_KAOMOJI_CHARS: Final = 48
"""Longest kaomoji, including its arms."""
LAUGHTER_STARTS: Final = frozenset("kjhlrmpaeахهח笑草哈呵嘿嘻")
"""First characters of words of laughter."""

DECORATION_STARTS: Final = frozenset(")(（＞~～〜☆★✩✪✧✦♡♥♪♫♬✿❀❁⋆wｗoDcT26")
"""First characters of decorations: laughter, tears and drawings without eyes."""

_LOOK_BACK_CHARS = 600
_DECORATION = re.compile(
    r"\)+|\({2,}|＞＜|[~～〜]{1,3}|[☆★✩✪✧✦♡♥♪♫♬✿❀❁⋆]{1,8}|[wｗ]{1,32}|orz|D:|c:|[（(][笑泣汗涙照怒爆苦]笑?[)）]|TAT|23{2,8}|6{3,8}"
)
_PARTIAL_DECORATIONS = frozenset({"w", "ｗ", "o", "or", "D", "c", "＞", "T", "TA", "2", "23", "6", "66"})
_CHINESE = frozenset("T26")  # `TAT`, `2333` and `666` are used only in Chinese
_LAUGHTER = re.compile(
    r"(?:k{3,16}|(?:j[aei]){2,8}j?|(?:h[aeiué]){2,8}h?|(?:ah){2,8}a?|(?:eh){2,8}e?|h{3,16}|lol|lmao|rofl|mdr|ptdr"
    r"|(?:rs{1,8}){1,4}|(?:ах){2,8}а?"
    r"|(?:ха){2,8}х?|ه{3,16}|ח{3,16}|笑{1,4}|草{1,4}|[哈呵嘿嘻]{2,16})"
)
_MAY_BE_LAUGHTER = re.compile(r"kk|j[aei]|h[aehiué]|[ae]h|l[om]|ro|md|pt|rs|ах|ха|هه|חח|[笑草哈呵嘿嘻]|.\Z")

# A sign outside ASCII that is neither a letter nor ordinary punctuation.
_ODD = "[^\x00-\x7f\\w\\s…‥—–‐‑−！、？。：；，“”„‘’«»‹›「」『』【】〈〉《》（）¿¡·×÷€£¥©®™§¶†‡]"
_EYE = rf"(?:[\^\-><;@=+#$%&']|{_ODD})"
_LETTER_EYE = "TQqXxuUnNoOvV0"

_WESTERN = r"""
    (?<![A-Za-z0-9:;=])(?:
        [<>]?[:;=]['’^~,o-]{0,2}(?:
            [()\[\]{}]{1,8} | (?<!=)[*<>@$&](?![\w*<>]) | [DPpOoCcSsXxVvZz]{1,8}(?![A-Za-z0-9:\\])
            | 3c?(?![A-Za-z0-9:]) | 0(?![\w:,/]|\.\w) | [/\\](?![/\\A-Za-z0-9]) | \|(?!\|) )
        | [(\[]['^-]?[:;=](?![\w'"/])
        | [xX](?:[DP]{1,8}|d)(?![A-Za-z0-9]) | </?3{1,8}(?![0-9])
        | (?:[B8]-|(?<![A-Za-z0-9*_])O:-?)\)(?![A-Za-z0-9])
        | \\[oO]/ | (?<![A-Za-z0-9_\\/])[oO]/(?![\w/]) )"""
_EASTERN = rf"""
    (?: =?\^(?:[_.\-wouvO3~]{{1,4}}\^|\^)=?
      | {_EYE}_{{1,4}}{_EYE} | [\^-]_{{1,4}}~ | ~_{{1,4}}[\^-] | \*_{{1,4}}\* | \._{{1,4}}\. | ,_{{1,4}},
      | {_EYE}_{{1,4}}[oO0](?!\w) | (?<![A-Za-z0-9_])[oO0]_{{1,4}}{_EYE}
      | [ㅠㅜ]{{2,8}} | [ㅋㅎ]{{2,32}} | >(?:[.wouv3ω-]|/{{2,4}})< | <[.-]< | >[.-]> | ;[.wo^-];
      | -[.wo]- | =[.w]= | @[.-]@ | \.-\. | \*[-o]\*
      | (?P<odd>{_ODD}|[ㄱ-ㆎㅠㅜ눈一ー；ಠಥツ])(?:[_.‿ω∀▽□дДヮᴗᵕ益皿ㅅᴥ‸﹏◡-]{{1,4}})(?P=odd)
      | (?<![A-Za-z0-9_.])(?:
            (?P<letter>[{_LETTER_EYE}])_{{1,4}}(?P=letter) | o_{{1,4}}[O0] | [O0]_{{1,4}}o
            | (?P<dotted>[TQqxXoO])\.(?P=dotted) | o\.O | O\.o
            | T[-w^ㅅv]T | [Qq][-wAv][Qq] | [uU][wvWV][uU] | [oO][wvW][oO] | nwn | xwx
        )(?![A-Za-z0-9_])
    )(?: ;{{1,2}} | ['"](?!\w) )?"""
_LEFT_ARM = r"[ヽヾ＼\\╰╭┌┐┬ᕙᕦ乁ლщ୧٩ԅᕕ໒づつっoOdmbqΣ☆✧*･｡ﾟ.~～¯_<=]{0,8}"
_RIGHT_ARM = (
    r"[ノﾉツづつっ╯╮┌┐┘└ง/\\／oOdbmvVσ>۶و୨୧ᕤᕗლ☆✧⋆♡♥♪~～*:･｡ﾟ.・︴彡人⊃≡=;；゛_¯┻━]{0,12}"
    r"(?:︵ ?[┻━┬─ﾉ]{1,5}|[zZ]{2,5}(?!\w))?"
)
_KAOMOJI = (
    rf"(?P<left>{_LEFT_ARM})[(（ʕ༼꒰](?P<inner>[^()（）ʕʔ༼༽꒰꒱\n]{{1,18}})[)）ʔ༽꒱](?P<right>{_RIGHT_ARM})"
)

_BARE = lazy_pattern(f"{_EASTERN}|{_WESTERN}", re.VERBOSE)
_BRACKETED = lazy_pattern(_KAOMOJI)
_PLAIN_EMOTICON = lazy_pattern(rf"[ *]{{0,3}}(?:{_EASTERN}|_[ ]_|ツ|T[oO]T)[ *;'\"]{{0,3}}", re.VERBOSE)
_WORDS = lazy_pattern(
    r"([A-Za-z])(?!\1)[A-Za-z]|[0-9]|[\u3041-\u3096\u30a1-\u30f2\u4e00-\u9fff\uac00-\ud7a3]{2}"
    r"|[\u0370-\u03ff]{2}|[\u0400-\u052f]{2}|[\u0531-\u0587]{2}|[\u05d0-\u05ea]{2}|[\u0620-\u064a]{2}|[\u0900-\u097f]{2}"
)
_MIRRORED = ((">", "<"), ("≧", "≦"), ("´", "｀"), ("´", "`"), ("＞", "＜"), ("´", "ˋ"), ("ノ", "ヽ"))
_NO_EYES = frozenset(" |.,-'\"_~…—–“”„‘’*:!?/\\[]{}<>=+&%#@;")
_END_OF_LOOKAHEAD = re.compile(r"\n|[A-Za-z0-9]{4}|[^\W\d_]{8}")
_STARTS = lazy_pattern(rf"[\^><;@=+#$%&'*.,~:(\[\\_<{_LETTER_EYE}B8dmb¯-]|[^\x00-\x7f]")
_WORD_STARTS = lazy_pattern(rf"[{_LETTER_EYE}B8dmb](?:[_.\-wvWV^(DdP):/ㅅ]|\Z)|QAQ?|[^A-Za-z0-9]")
_EYES = lazy_pattern(_EYE)
_BARE_MOUTH = lazy_pattern(rf"{_EYE}_{{1,4}}{_EYE}|[\^-]_{{1,4}}~|~_{{1,4}}[\^-]")
_SHRUG = frozenset({"¯(", "￣(", "ˉ(", "\\(", ")/", ")¯", ")\\"})  # around the underscores of its arms
_EMOTICON_LETTERS = frozenset("TQqxXoO")
_PLAIN_SIGNS = frozenset(" \t\n.!?,\"')*]")
_ODD_SIGN = lazy_pattern(_ODD)


def is_between_eyes(text: str, at: int, end: int, *, final: bool = False) -> int:
    """Return the end of underscores that are a mouth or an arm, `NOT_FOUND` or `NEED_MORE`."""
    if not at:
        return NOT_FOUND
    before, after = text[at - 1], text[end : end + 1]
    if before == after and not before.isspace() and before not in '"()[]{}|\\/_':
        return end
    if before + after in _SHRUG:
        return end
    if after in ("o", "O", "0") and _EYES.fullmatch(before):
        after_letter = text[end + 1 : end + 2]
        if not after_letter and not final:
            return NEED_MORE
        return NOT_FOUND if after_letter.isalnum() or after_letter == "_" else end
    return end if _BARE_MOUTH.fullmatch(text, at - 1, end + 1) else NOT_FOUND


def emoticon_end(text: str, at: int, *, final: bool = False) -> int:
    """Return the end of the emoticon that starts here, `NOT_FOUND` or `NEED_MORE`."""
    if at >= len(text):
        return NOT_FOUND if final else NEED_MORE
    if not _STARTS.match(text, at) or not _WORD_STARTS.match(text, at):
        return NOT_FOUND
    until, known = _lookahead(text, at, final=final)
    if not known:
        return NEED_MORE
    return _match(text, at, until)


def emoticon_around(text: str, at: int, *, final: bool = False) -> int:
    """Return the end of the emoticon that contains the sign at `at`, `NOT_FOUND` or `NEED_MORE`."""
    if at + 1 >= len(text) and not final:
        return NEED_MORE
    if not _may_be_inside(text, at):
        return NOT_FOUND
    until, known = _lookahead(text, at, final=final)
    if not known:
        return NEED_MORE
    start = max(0, at - LOOKAHEAD_CHARS, text.rfind("\n", max(0, at - LOOKAHEAD_CHARS), at) + 1)
    before = max(0, start - 1)  # patterns look back one character
    for first, end in _find_near(text[before:until], start - before):
        if first <= at - before < end:
            return end + before
    return NOT_FOUND


def find_emoticons(text: str) -> list[tuple[int, int]]:
    """Return the ranges of all emoticons in a finished text, in order."""
    return _find(text, 0, len(text))


@lru_cache(maxsize=256)
def _find_near(text: str, start: int) -> list[tuple[int, int]]:
    """Return the emoticons in a short piece of text; several stages ask about the same piece."""
    return _find(text, start, len(text))


def _lookahead(text: str, at: int, *, final: bool) -> tuple[int, bool]:
    """Return how far an emoticon that has begun may reach, and whether that text has arrived."""
    stop = _END_OF_LOOKAHEAD.search(text, at, at + LOOKAHEAD_CHARS)
    if stop is not None:
        return stop.end(), True
    return min(len(text), at + LOOKAHEAD_CHARS), final or len(text) >= at + LOOKAHEAD_CHARS


def _may_be_inside(text: str, at: int) -> bool:
    """Return whether a sign may be in an emoticon: a fast check that rejects signs between words."""
    before, after = text[at - 1] if at else "", text[at + 1 : at + 2]
    if before in _EMOTICON_LETTERS and after in _EMOTICON_LETTERS:
        return True
    return _is_sign(text[at]) or _is_sign(before) or _is_sign(after)


def _is_sign(character: str) -> bool:
    if character.isascii():
        return bool(character) and not character.isalnum() and character not in _PLAIN_SIGNS
    return bool(_ODD_SIGN.match(character))


def _find(text: str, start: int, until: int) -> list[tuple[int, int]]:
    """Return all emoticons in a range."""
    found: list[tuple[int, int]] = []
    at = start
    bare = _BARE.search(text, at, until)
    while at < until:
        if bare and bare.start() < at:
            bare = _BARE.search(text, at, until)
        emoticon = _find_bracketed(text, at, bare.start() if bare else until, until)
        if emoticon is None and bare is None:
            break
        found.append(emoticon or bare.span())  # type: ignore[union-attr]
        at = found[-1][1]
    return found


def _find_bracketed(text: str, at: int, before: int, until: int) -> tuple[int, int] | None:
    """Return the first kaomoji that begins no later than the next bare emoticon."""
    while found := _BRACKETED.search(text, at, min(until, before + MAX_KAOMOJI_CHARS)):
        if found.start() > before:
            return None
        if _is_kaomoji(found):
            return found.span()
        at = found.start("inner")
    return None


def _match(text: str, at: int, until: int) -> int:
    bracketed = _BRACKETED.match(text, at, until)
    if bracketed and _is_kaomoji(bracketed):
        return bracketed.end()
    bare = _BARE.match(text, at, until)
    return bare.end() if bare else NOT_FOUND


def _is_kaomoji(found: re.Match[str]) -> bool:
    """Return whether the text in brackets has two eyes and no words."""
    emoticon = found["inner"]
    if _PLAIN_EMOTICON.fullmatch(emoticon):
        return True
    if emoticon.isascii() or emoticon.count("||") > 1 or _WORDS.search(emoticon):
        return False
    eyes = [sign for sign in emoticon if not (sign in _NO_EYES or (sign.isascii() and sign.isalpha()))]
    eyes += [letter for letter in emoticon if letter in _LETTER_EYE]
    return len(set(eyes)) < len(eyes) or any(set(pair) <= set(emoticon) for pair in _MIRRORED)


def laughter_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of a word of laughter, `NOT_FOUND` or `NEED_MORE`.

    `Oi! kkkk Tudo bem?` has one, `haha so it is` has none, because a sentence begins with it.
    """
    if not _MAY_BE_LAUGHTER.match(text, at):
        return NOT_FOUND
    end, last = at, min(len(text), at + LOOKAHEAD_CHARS)
    while end < last and text[end].isalpha():
        end += 1
    after = end + 1 if text[end : end + 1] in (" ", "\u3000") else end
    if after == len(text) < at + LOOKAHEAD_CHARS and not final:
        return NEED_MORE
    laughs = _LAUGHTER.fullmatch(text, at, end) and not text[after : after + 1].islower()
    return end if laughs and text[end : end + 1] in ("", "\n", " ", "\u3000") else NOT_FOUND


def decoration_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of a decoration: `)))`, `~`, `♡`, `（笑）`, `2333`; or `NOT_FOUND`, `NEED_MORE`."""
    narrow = text[max(0, at - 2) : at].isascii()
    if narrow and text[at] in _CHINESE:
        return NOT_FOUND
    found = _DECORATION.match(text, at)
    if found is None or (narrow and found[0] == "w"):
        return NEED_MORE if text[at:] in _PARTIAL_DECORATIONS and not final else NOT_FOUND
    end = found.end()
    if end == len(text) and not final:
        return NEED_MORE
    lower_bound = max(0, at - _LOOK_BACK_CHARS)
    if found[0] == "D:" and "C:" in text[lower_bound:at]:
        return NOT_FOUND  # answer D of a quiz
    # A bracket that closes an open one is no laughter.
    closes = found[0][0] == ")" and text.rfind("(", lower_bound, at) > text.rfind(")", lower_bound, at)
    whole = end == len(text) or text[end].isspace() or found[0][0] == "（"
    return end if not closes and whole else NOT_FOUND

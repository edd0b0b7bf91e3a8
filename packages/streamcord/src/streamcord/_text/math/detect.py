r"""Find where a formula ends: `\(…\)`, `\[…\]`, `$…$`, `$$…$$`, `\begin{…}…\end{…}`, `\boxed{…}` and `\dot{p}`.

A dollar is money or a shell variable until the following text proves otherwise, and an escaped bracket is a
bracket. Therefore the text between two delimiters is examined too, within a fixed length.
"""

from __future__ import annotations

import re

from ..tokens import LINE_REACH, NEED_MORE, NOT_FOUND, is_word
from .latex_parser import is_command, to_unicode

MAX_FORMULA_CHARS = LINE_REACH
"""Longer than a message: a formula of this length need not stay whole."""
MAX_DOLLAR_CHARS = 240
"""A single dollar without a closing one within this length opens no formula."""
MAX_BOXED_CHARS = 400
"""A box that is longer is shown as it is written."""

_BEGIN = re.compile(r"\\begin\{([A-Za-z]{1,24}\*?)\}")
_ONE_LINE = re.compile(r"\\begin\{(equation\*?|displaymath|math)\}(.*)\\end\{\1\}", re.DOTALL)
_BOXED = "\\boxed{"
# Commands that no path and no program has, with arguments that are terms.
_ACCENT = r"(?:dot|ddot|hat|widehat|bar|overline|tilde|vec|mathbb|mathcal)"
_ARGUMENT = r"\{[A-Za-z0-9+\- ]{1,16}\}"
_BARE = re.compile(rf"\\(?:{_ACCENT}\{{[A-Za-z]\}}|sqrt{_ARGUMENT}|[dt]?frac{_ARGUMENT}{_ARGUMENT})")
_PARTIAL_ARGUMENT = r"\{[A-Za-z0-9+\- ]{0,16}"
_PARTIAL_BARE = re.compile(
    rf"\\(?:[a-z]{{1,8}}(?:{_PARTIAL_ARGUMENT})?|[dt]?frac{_ARGUMENT}(?:{_PARTIAL_ARGUMENT})?)\Z"
)
_BEFORE_BARE = frozenset("([=+-,")
# After these the command is a part of a longer formula: `\frac{1}{x}^2`.
_AFTER_BARE = frozenset("^_{([\\/'")
_PARTIAL_BEGIN = re.compile(r"\\b(?:e(?:g(?:i(?:n(?:\{[A-Za-z]{0,24}\*?)?)?)?)?)?\Z")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# The end of a sentence or a plain word: text like this is no formula after a single dollar.
_DOLLAR_STOP = re.compile(r"\\(?s:.)|[$\n`]|[.!?][ \t]|(?<![\\\w])[^\W\d_]{3,64}(?=[ \t])")
_BRACE = re.compile(r"\\.|[{}\n]")
_COMMAND = re.compile(r"\\([A-Za-z]+|.)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_WORDS = re.compile(r"[^\W\d_]{3,}[ ,][^\W\d_]{2,}")
_ON_LINES = re.compile(r"[ \t]*\n(?s:.*)\n[ \t]*")  # delimiters on lines of their own
_LONG_NUMBER = re.compile(r"\s*\d+(?:[ ~]\d+)+\s*")
_CAPITALS = re.compile(r"[A-Z]{3,4}")
# A sum of short terms, which is no range of characters and no list: `a + b`, `f(x)+1`
_SUM = re.compile(r"[A-Za-z0-9)]\s?\+\s?[A-Za-z0-9(]|[A-Za-z0-9)] [-*/] [A-Za-z0-9(]")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SIGN = re.compile(r"[=<>^_+]|[A-Za-z0-9)][ ]?[*/-][ ]?[A-Za-z0-9(]")
_ALGEBRA = re.compile(r"[A-Za-z0-9\s+\-=<>*/()\[\],.:;!|'^_{}~\u0370-\u03ff]+")
_SHORT = re.compile(r"\s*(?:[A-Za-z]{1,2}'?|\d{1,9}(?:[.,]\d{1,9})?)\s*")
# `2n`, `-5`, `n!`, `|x|`, `1:2`
_COMPACT = re.compile(r"[-+|(\[]?[A-Za-z0-9](?:[A-Za-z0-9.,:/|'()\[\]-]*[A-Za-z0-9)\]|'])?!?")
# Superscripts and subscripts after words: `CO$_2$`, `cm$^2$`
_SHIFT = re.compile(r"\$[\^_](?:\{[^{}$\s]{1,12}\}|[A-Za-z0-9+])\$")
_PARTIAL_SHIFT = re.compile(r"\$[\^_](?:\{[^{}$\s]{0,12}\}?|[A-Za-z0-9+])?\Z")
_ORDINALS = frozenset({"th", "st", "nd", "rd"})
_BARS = re.compile(r"(?<!\|)\|\|(?!\|)")
_SPACED_BARS = re.compile(r"(?<=\s)\|\|(?=\s)")
_NAMED = re.compile(r"(?:\\[A-Za-z]+\*?|_)\{[A-Za-z ,.]{1,64}\}|\\(?:[A-Za-z]+|.)")
_WRITTEN_UNKNOWN = re.compile(r"\\[A-Za-z]+[{\[]")  # an unknown command with an argument: `\ket{x}`
_AIRY = re.compile(r"[ \t]{1,4}(?![\s\d])[^\n]*[=^_\\]")  # `$ x = 5$`, but not `$ 5 = $ 5`
_SHELL = re.compile(r"\{[A-Za-z]{1,8}\}[\^_]")  # `${cm}^2$`, but not `${HOME}`
_LOWERED_WORD = re.compile(r"([A-Za-z]_)\{[A-Za-z]{1,16}\}")  # `x_{max}`
_BASE = re.compile(r"(?:[A-Za-z0-9)\]}|'\u0370-\u03ff])[ ]?[\^_][ ]?[A-Za-z0-9{(\\*'+-]")


def find_formula_end(  # noqa: PLR0911
    text: str, at: int, *, final: bool, one_line: bool = False
) -> int:
    """Return the end of the formula that opens here, `NOT_FOUND` or `NEED_MORE`."""
    if at + 1 == len(text):
        return NOT_FOUND if final else NEED_MORE
    if text[at] == "$":
        return _find_dollars_end(text, at, final=final, one_line=one_line)
    if text[at + 1].isalpha() and (bare := _find_bare_end(text, at, final=final)) != NOT_FOUND:
        return bare
    if text[at + 1] not in "([b":
        return NOT_FOUND
    if text[at + 1] == "b":
        if _BOXED.startswith(text[at : at + len(_BOXED)]):
            return _find_boxed_end(text, at, final=final)
        return _find_environment_end(text, at, final=final, one_line=one_line)
    # Inline formulas do not span lines.
    one_line = one_line or text[at + 1] == "("
    end = _find_closer(text, at, {"(": "\\)", "[": "\\]"}[text[at + 1]], final=final, one_line=one_line)
    if end <= 0:
        return end
    return end if _is_formula(text, at, end) else NOT_FOUND


def is_display(source: str) -> bool:
    """Return whether a formula is a display formula, which is set on its own line."""
    return source.startswith(("\\[", "$$", "\\be"))


def formula_inside(source: str) -> str:
    """Return a formula without its delimiters; environments with aligned rows keep theirs."""
    if line := _ONE_LINE.fullmatch(source):
        return line[2]
    if source.startswith("\\bo") or _BARE.fullmatch(source):
        return source
    size = 0 if source.startswith("\\b") else 1 if source[0] == "$" != source[1] else 2
    return source[size : len(source) - size]


def _find_closer(text: str, at: int, closer: str, *, final: bool, one_line: bool) -> int:
    """Return the end of the next closer in the same paragraph, or on the same line."""
    until = at + MAX_FORMULA_CHARS
    position = text.find(closer, at + 2, until)
    while position > 0 and _is_escaped(text, position):
        position = text.find(closer, position + 1, until)
    if _ends_before(text, at, position if position > 0 else until, one_line=one_line):
        return NOT_FOUND
    if position < 0:
        return NOT_FOUND if final or len(text) >= until else NEED_MORE
    end = position + len(closer)
    if closer == "$$":
        if end == len(text) < until and not final:
            return NEED_MORE
        alone = "$" not in text[at + 2 : position].replace("\\$", "") and not text.startswith("$", end)
        return end if alone else NOT_FOUND
    return end


def _ends_before(text: str, at: int, until: int, *, one_line: bool) -> bool:
    """Return whether the paragraph, or the line, ends before a position."""
    newline = text.find("\n", at + 2, until)
    if newline < 0 or one_line:
        return newline >= 0
    return not _opens_own_line(text, at, newline) and _BLANK_LINE.search(text, newline, until) is not None


def _opens_own_line(text: str, at: int, newline: int) -> bool:
    """Return whether a display opens on its own line: then it may contain blank lines."""
    return not text[at + 2 : newline].strip() and not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _is_escaped(text: str, at: int) -> bool:
    start = at
    while text[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1


def _find_environment_end(text: str, at: int, *, final: bool, one_line: bool) -> int:
    """Return the end of an environment; environments of the same name may nest."""
    begin = _BEGIN.match(text, at)
    if begin is None:
        return NEED_MORE if _PARTIAL_BEGIN.match(text, at) and not final else NOT_FOUND
    until = at + MAX_FORMULA_CHARS
    opened, closed = f"\\begin{{{begin[1]}}}", f"\\end{{{begin[1]}}}"
    end = begin.end()
    depth = 1
    while depth:
        position = text.find(closed, end, until)
        if _ends_before(text, at, position if position > 0 else until, one_line=one_line):
            return NOT_FOUND
        if position < 0:
            return NOT_FOUND if final or len(text) >= until else NEED_MORE
        depth += text.count(opened, end, position) - 1
        end = position + len(closed)
    return NOT_FOUND if _may_hide(text[at:end]) else end


def _find_boxed_end(text: str, at: int, *, final: bool) -> int:
    r"""Return the end of a result that is boxed outside of a formula: `\boxed{42}`."""
    start = at + len(_BOXED)
    until = min(len(text), at + MAX_BOXED_CHARS)
    depth = 1 if len(text) >= start else 0
    for found in _BRACE.finditer(text, start, until):
        if found[0] == "\n":
            return NOT_FOUND
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if not depth:
            return found.end() if _may_be_boxed(text[start : found.start()]) else NOT_FOUND
    return NOT_FOUND if final or len(text) >= at + MAX_BOXED_CHARS else NEED_MORE


def _find_bare_end(text: str, at: int, *, final: bool) -> int:
    r"""Return the end of a command with short arguments outside of a formula: `\dot{p}`, `\frac{1}{2}`.

    After a word, a colon or a backslash it may be a path: `C:\bar{1}`.
    """
    if at and not (text[at - 1].isspace() or text[at - 1] in _BEFORE_BARE):
        return NOT_FOUND
    found = _BARE.match(text, at)
    if found is None:
        return NEED_MORE if not final and _PARTIAL_BARE.match(text, at) else NOT_FOUND
    after = text[found.end() : found.end() + 1]
    if not after and not final:
        return NEED_MORE
    continues = after != "" and (after in _AFTER_BARE or is_word(after))
    return NOT_FOUND if continues or to_unicode(found[0]) is None else found.end()


def _may_be_boxed(inside: str) -> bool:
    return bool(inside.strip()) and "`" not in inside and not _may_hide(inside)


def _find_dollars_end(text: str, at: int, *, final: bool, one_line: bool) -> int:
    """Return the end of a formula in dollars: two for a display, one for inline, more for none."""
    if at and (is_word(text[at - 1]) or text[at - 1] == "$"):
        if text[at + 1] in "^_" and text[at - 1].isalpha():
            return _find_shift_end(text, at, final=final)
        if not (text[at - 1].isdigit() and text[at + 1] in "^\\"):  # `20$^\circ$C`
            return NOT_FOUND
    if text[at + 1] == "$":
        if at + 2 == len(text):
            return NOT_FOUND if final else NEED_MORE
        end = (
            NOT_FOUND if text[at + 2] == "$" else _find_closer(text, at, "$$", final=final, one_line=one_line)
        )
        return end if end <= 0 or _is_formula(text, at, end) else NOT_FOUND
    return _find_dollar_end(text, at, final=final)


def _find_shift_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of a superscript or subscript after a word: `CO$_2$`."""
    found = _SHIFT.match(text, at)
    if found is None:
        return NEED_MORE if _PARTIAL_SHIFT.match(text, at) and not final else NOT_FOUND
    return found.end() if to_unicode(formula_inside(found[0])) else NOT_FOUND


def _find_dollar_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of an inline formula in single dollars."""
    until = at + MAX_DOLLAR_CHARS
    for found in _DOLLAR_STOP.finditer(text, at + 1, until):
        if found[0][0] == "\\" or (found[0][0].isalpha() and _in_braces(text, at, found.start())):
            continue
        if found[0] != "$":
            return NOT_FOUND
        end = found.end()
        if end == len(text) < until and not final:
            return NEED_MORE
        continues = _continues_word(text, at, end, final=final)
        if continues is None:
            return NEED_MORE
        unusual = text[at + 1].isspace() or text[at + 1] == "{"
        if continues or (unusual and not _is_unusual(text[at + 1 : end - 1])):
            return NOT_FOUND
        return end if _is_formula(text, at, end) else NOT_FOUND
    return NOT_FOUND if final or len(text) >= until else NEED_MORE


def _continues_word(text: str, at: int, end: int, *, final: bool) -> bool | None:
    """Return whether a word touches the second dollar, so that it closes nothing; but `$n$th` is fine."""
    after = text[end : end + 1]
    if text[end - 2].isspace() or after in ("_", "$"):
        return True
    if not after or not is_word(after) or text[at + 1] in "^\\" or text.endswith("circ", at, end - 1):
        return False
    if end - at > 3 or not text[at + 1].isalpha():
        return True
    if len(text) < end + 3 and not final and any(way.startswith(text[end:]) for way in _ORDINALS):
        return None
    return text[end : end + 2] not in _ORDINALS or text[end + 2 : end + 3].isalnum()


def _is_unusual(inside: str) -> bool:
    """Return whether text that begins like a price or a shell variable is a formula: `$ x = 5$`, `${cm}^2$`."""
    if any(is_command(name[1]) for name in _COMMAND.finditer(inside)):
        return True
    pattern = _SHELL if inside[0] == "{" else _AIRY
    return pattern.match(inside) is not None and to_unicode(inside) is not None


def _in_braces(text: str, start: int, at: int) -> bool:
    return text.count("{", start, at) > text.count("}", start, at)


# --- The text between two delimiters ---------------------------------------------------------------


def _is_formula(text: str, at: int, end: int) -> bool:  # noqa: PLR0911
    """Return whether the text is mathematics, and not money, a path or an escaped bracket."""
    source = text[at:end]
    inside = formula_inside(source)
    if not inside.strip() or "`" in inside or _may_hide(inside):
        return False
    commands = [found[1] for found in _COMMAND.finditer(inside)]
    if not _is_balanced(inside):
        # A formula with a mistake is shown as code.
        return source[0] == "\\" and any(name.isalpha() and is_command(name) for name in commands)
    unknown = any(name.isalpha() and not is_command(name) for name in commands)
    if source.startswith("$") and unknown:
        return _WRITTEN_UNKNOWN.search(inside) is not None
    if any(name.isalpha() and (len(name) > 1 or is_command(name)) for name in commands):
        return True
    plain = _COMMAND.sub(" ", _LOWERED_WORD.sub(r"\1 ", inside))
    if source.startswith("\\["):
        return _is_shown(plain, inside)
    if _WORD.search(plain) and not _CAPITALS.fullmatch(plain.strip()):
        return bool(_SIGN.search(plain)) and not source.startswith("$" if source[1] != "$" else "$$$")
    return bool(_ALGEBRA.fullmatch(plain)) and _is_algebra(plain, inside, source[0] == "\\")


def _is_shown(plain: str, inside: str) -> bool:
    """Return whether a display is mathematics: it has signs, or its delimiters are on their own lines."""
    if _ON_LINES.fullmatch(inside) and not _WORDS.search(plain):
        return True
    alone = inside[0].isspace() and inside[-1].isspace()
    sum_of_terms = _SUM.search(plain) is not None and _WORD.search(plain) is None
    return sum_of_terms or bool(_BASE.search(plain)) or "=" in plain or (alone and bool(_SIGN.search(plain)))


def _may_hide(inside: str) -> bool:
    """Return whether bars are a spoiler: neither a norm nor an operator between terms."""
    if "||" not in inside:
        return False
    plain = _NAMED.sub(" ", inside)
    terms = _BARS.split(plain)
    if len(terms) % 2 == 0:  # one is left over
        return len(_SPACED_BARS.findall(inside)) < len(terms) - 1 or not all(map(_is_term, terms))
    return not all(map(_is_term, terms[1::2]))


def _is_term(plain: str) -> bool:
    return _WORD.search(plain) is None and (plain.isspace() or _ALGEBRA.fullmatch(plain) is not None)


def _is_algebra(plain: str, inside: str, escaped: bool) -> bool:
    """Return whether a text is letters and numbers with a sign, or one of them alone."""
    airy = escaped and inside[0] == inside[-1] == " "  # `\\( n \\)`, as some models write them all
    if _SHORT.fullmatch(plain) or _CAPITALS.fullmatch(plain.strip()):
        return airy or inside[0] != " " or inside[-1] != " "  # `$$ in $$` are two numbers of a process
    if _COMPACT.fullmatch(plain.strip()):
        return (airy or not inside[0].isspace()) and to_unicode(inside) is not None
    if escaped and _LONG_NUMBER.fullmatch(plain):
        return True
    if "||" in plain:  # the bars of a norm; more letters may be words of a spoiler
        return _LETTERS.search(plain) is None and to_unicode(inside) is not None
    signs = (
        (escaped and " : " in plain)
        or _SIGN.search(plain)
        or _BASE.search(plain)
        or "(" in plain
        or "," in plain
        or "\\," in inside
    )
    return bool(signs) and (to_unicode(inside) is not None or bool(_BASE.search(plain)))


def _is_balanced(inside: str) -> bool:
    return inside.count("{") - inside.count("\\{") == inside.count("}") - inside.count("\\}") and (
        inside.count("(") == inside.count(")") or "\\" in inside
    )

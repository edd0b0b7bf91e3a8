r"""Say a LaTeX formula in words, for people who cannot see its picture: `\frac{a}{b}` is "a over b".

A formula that is too deep, or that no one could follow by ear, is said as its source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

MAX_DEPTH = 12
MAX_WORDS_CHARS = 1000

_TEXT = r"\\(?:text|textbf|textit|mathrm|mathsf|mathbf|operatorname)\*?\{[^{}]*\}"
_IS_TEXT = re.compile(_TEXT)
_TOKEN = re.compile(
    _TEXT + r"|\\(?:begin|end)\{[A-Za-z]{1,24}\*?\}|\\[A-Za-z]+\*?|\\(?s:.)|\d+(?:[.,]\d+)*|\s+|(?s:.)"
)
_ONE: Mapping[str, str] = {
    "sqrt": "the square root of", "overline": "the mean of", "bar": "bar", "hat": "hat", "tilde": "tilde",
    "vec": "the vector", "dot": "dot", "ddot": "double dot", "underline": "underlined", "boxed": "", "bra": "bra",
    "ket": "ket", "overbrace": "", "underbrace": "", "cancel": "cancelled", "xrightarrow": "arrow", "pmod": "modulo",
    "overrightarrow": "the vector",
}  # fmt: skip
_TWO: Mapping[str, str] = {
    "frac": "over", "dfrac": "over", "tfrac": "over", "cfrac": "over", "binom": "choose", "stackrel": "below",
    "overset": "above", "underset": "below", "braket": "with",
}  # fmt: skip
_WORDS: Mapping[str, str] = {
    "int": "the integral", "iint": "the double integral", "iiint": "the triple integral", "oint": "the closed integral",
    "sum": "the sum", "prod": "the product", "lim": "the limit", "infty": "infinity", "partial": "partial",
    "nabla": "nabla", "cdot": "times", "times": "times", "pm": "plus or minus", "mp": "minus or plus",
    "div": "divided by",
    "leq": "at most", "le": "at most", "geq": "at least", "ge": "at least", "neq": "is not", "ne": "is not",
    "approx": "about", "equiv": "is equivalent to", "sim": "similar to", "in": "in", "notin": "not in",
    "subset": "subset of", "subseteq": "subset of", "cup": "union", "cap": "intersection", "to": "to",
    "rightarrow": "to", "mapsto": "maps to", "implies": "implies", "iff": "if and only if", "Rightarrow": "implies",
    "Leftrightarrow": "if and only if", "forall": "for all", "exists": "there is", "ldots": "and so on",
    "cdots": "and so on", "dots": "and so on", "vdots": "and so on", "ddots": "and so on", "langle": "angle",
    "rangle": "angle", "mid": "given", "propto": "proportional to", "land": "and", "lor": "or", "neg": "not",
    "dagger": "dagger", "prime": "prime", "ell": "l", "hbar": "h bar", "otimes": "tensor", "oplus": "plus",
}  # fmt: skip
_SIGNS: Mapping[str, str] = {
    "+": "plus", "-": "minus", "=": "equals", "*": "times", "/": "divided by", "<": "is less than",
    ">": "is greater than",
    "'": "prime", "!": "factorial", "|": "bar", "&": ",", "\\\\": ";", "}": "", "~": "", "$": "",
}  # fmt: skip
_SILENT = frozenset({
    "left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "bigg", "Bigg", "displaystyle", "textstyle",
    "limits",
    "nolimits", "quad", "qquad", "hline", "label", "tag", "nonumber", "notag", "mathrm", "mathbf", "mathbb", "mathcal",
    "mathfrak", "mathsf", "text", "textbf", "textit", "operatorname", "bm", "boldsymbol", "mathit", "color", "middle",
})  # fmt: skip
_RAISED = {"2": "squared", "3": "cubed", "T": "transposed", "*": "star", "-1": "inverse", "†": "dagger"}
_TABLES = re.compile(r"\\(?:begin|end)\{([A-Za-z]+)\*?\}")
_NAMES = {"cases": "cases", "aligned": "", "align": "", "array": "table", "gathered": "", "gather": "", "split": "",
          "equation": ""}  # fmt: skip
_LIMITED = frozenset({"int", "iint", "iiint", "oint", "sum", "prod", "bigcup", "bigcap"})


def describe_formula(code: str) -> str:
    """Return a formula in words; never empty."""
    try:
        words = _Speaker(code).say()
    except (RecursionError, _TooDeep):
        words = ""
    if not words or len(words) > MAX_WORDS_CHARS:
        words = " ".join(code.split())[:MAX_WORDS_CHARS]
    return f"A formula: {words}" if words else "A formula"


class _TooDeep(Exception):
    """Groups are nested too deeply to be followed by ear."""


class _Speaker:
    """Says the tokens of a formula in order."""

    def __init__(self, code: str) -> None:
        self._tokens = [one for one in _TOKEN.findall(code) if not one.isspace()]
        self._at = 0
        self._depth = 0

    def say(self) -> str:
        said: list[str] = []
        while self._at < len(self._tokens):
            said.append(self._next())
        return " ".join(" ".join(said).split())

    def _next(self) -> str:
        """Say the next token with its arguments."""
        one = self._tokens[self._at]
        self._at += 1
        if one == "{":
            return self._group("}")
        if one in "^_":
            return self._shifted(one)
        if found := _TABLES.fullmatch(one):
            return self._table(found[1], begins=one.startswith("\\begin"))
        if one in _SIGNS:
            return _SIGNS[one]
        if _IS_TEXT.fullmatch(one):
            return str(one.partition("{")[2][:-1])
        return self._command(one[1:].rstrip("*")) if one.startswith("\\") else one

    def _table(self, environment: str, *, begins: bool) -> str:
        name = _NAMES.get(environment, "matrix")
        if begins and environment == "array" and self._peek() == "{":
            self._argument()  # its columns
        if not name:
            return ""
        return f"{name} of" if begins else f"end of {name}"

    def _command(self, name: str) -> str:
        if name in _TWO:
            first, second = self._argument(), self._argument()
            return f"{_grouped(first)} {_TWO[name]} {_grouped(second)}"
        if name == "sqrt" and self._peek() == "[":
            self._at += 1
            return f"the root of order {self._group(']')} of {self._argument()}"
        if name in _ONE:
            return f"{_ONE[name]} {self._argument()}"
        if name in _LIMITED:
            return self._limited(_WORDS.get(name, name))
        if name in _SILENT or not name.isalpha():
            return name if name in "%$#&_|" else ""
        return _WORDS.get(name, name)

    def _limited(self, words: str) -> str:
        r"""Say `\sum_{i=1}^{n}` as "the sum from i equals 1 to n of"."""
        bounds = {"_": "", "^": ""}
        while self._peek() in bounds or self._peek() == "\\limits":
            sign = self._tokens[self._at]
            self._at += 1
            if sign in bounds:
                bounds[sign] = self._argument()
        low = f" from {bounds['_']}" if bounds["_"] else ""
        high = f" to {bounds['^']}" if bounds["^"] else ""
        return f"{words}{low}{high} of"

    def _shifted(self, sign: str) -> str:
        said = self._argument()
        if sign == "_":
            return f"sub {said}"
        return _RAISED.get(said.replace("minus 1", "-1"), f"to the power of {said}")

    def _argument(self) -> str:
        return self._next() if self._at < len(self._tokens) else ""

    def _group(self, closer: str) -> str:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _TooDeep
        said: list[str] = []
        while self._at < len(self._tokens) and self._tokens[self._at] != closer:
            said.append(self._next())
        self._at += 1
        self._depth -= 1
        return " ".join(" ".join(said).split())

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""


def _grouped(words: str) -> str:
    """Return several words so that one hears where they end."""
    return words if len(words.split()) < 2 else f"({words})"

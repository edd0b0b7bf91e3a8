"""Parse a LaTeX formula and convert it to a line of Unicode, or report that it cannot be converted.

The parser knows a part of LaTeX and guesses nothing: an unknown command, alignment or nesting makes the whole
formula unreadable, and the caller shows the source. Each character is read once.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ..word_lists import load_words
from .symbols import (
    ACCENTS,
    ALPHABETS,
    BIG,
    BINARY,
    BRACKETS,
    FUNCTIONS,
    IGNORED,
    LETTERS,
    NEGATED,
    RELATIONS,
    SIGNS,
    SPACES,
    WORDS,
    chemistry_to_unicode,
)
from .unicode_layout import Piece, PieceKind, Unreadable, fraction, lower, raise_up, root, shift, to_line

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 12
"""Deepest nesting of groups: deeper formulas are not readable in one line."""

_TOKEN = re.compile(r"\\([A-Za-z]+|(?s:.))|[ \t\n~]+|\d+(?:[.,]\d+)*|\|\||(?s:.)")
_PLAIN = {
    **dict.fromkeys("([", PieceKind.OPEN),
    **dict.fromkeys(")]", PieceKind.CLOSE),
    **dict.fromkeys("=<>", PieceKind.RELATION),
    **dict.fromkeys("+-/*", PieceKind.BINARY),
    **dict.fromkeys(",;:.!?", PieceKind.POINT),
    **dict.fromkeys(("|", "||"), PieceKind.BAR),
}
_SHOWN = {"*": "∗", "||": "‖"}
_OPEN, _CLOSE, _BARS = frozenset("{[(⟨⌊⌈"), frozenset("}])⟩⌋⌉"), frozenset("|‖")
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
_STRUCTURES = _FRACTIONS | {"sqrt", "boxed", "not", "pmod", "bmod", "begin", "end", "binom", "substack", "ce", "tag",
                            "choose", "over", "atop"}  # fmt: skip
_COMMAND_NAMES = frozenset[str]().union(
    LETTERS, SIGNS, RELATIONS, BINARY, BIG, FUNCTIONS, BRACKETS, IGNORED, SPACES, WORDS, ACCENTS, ALPHABETS,
    _STRUCTURES,
)  # fmt: skip
_RAISED_INSIDE = re.compile(r"\{(?=[A-Za-z0-9()/. ]{0,32}(?:[_^]|\\(?:cdot|times|[,;])))")  # `\mathrm{m/s^2}`
_WORDS = re.compile(r"(?:[^\\{}$*_~`|<>@#\n]|\\[%$& ]|(?<=[A-Za-z0-9])\\_(?=[A-Za-z0-9]))*")
_CHEMISTRY = re.compile(r"\{([^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*)*)\}")
_ESCAPE = re.compile(r"\\(.)")
_ENDS_NAME = re.compile(r"(?:[ \t]+(?=[A-Za-z]))?")  # the space that ends `\Delta` is not shown: `Δx`
_BEYOND_ONE = re.compile(r"\s*(?:\d[.\d]|[+-][A-Za-z0-9\\])")
_TIGHT = frozenset(LETTERS.values()) | frozenset("∀∃∄¬∠△")


def is_command(name: str) -> bool:
    """Return whether a command is known in formulas."""
    return name in _COMMAND_NAMES


@lru_cache(maxsize=64)
def to_unicode(source: str) -> str | None:
    """Return the inside of a formula as a line of text, or None if there is no unambiguous one."""
    try:
        reader = _FormulaReader(source)
        shown = to_line(reader.read_until(""))
    except Unreadable:
        return None
    return shown or None


class _FormulaReader:
    """A recursive-descent parser over the tokens of a formula."""

    def __init__(self, source: str) -> None:
        self._source = source
        # Position in the source, and the depth of nested groups.
        self._at = 0
        self._depth = 0
        # Whether white space was before the current token.
        self._space = False
        # Whether it was explicit (`~`, `\,`), so that it is shown between digits.
        self._thin = False

    # --- Tokens ---------------------------------------------------------------------------------

    def _peek(self) -> re.Match[str] | None:
        """Return the next token and record white space before it."""
        found = _TOKEN.match(self._source, self._at)
        while found and found[0][0] in " \t\n~":
            self._space = True
            self._thin = self._thin or "~" in found[0]
            self._at = found.end()
            found = _TOKEN.match(self._source, self._at)
        return found

    def _next_token(self) -> re.Match[str]:
        """Consume and return the next token.

        Raises:
            Unreadable: The formula ends here.

        """
        found = self._peek()
        if found is None:
            raise Unreadable
        self._at = found.end()
        return found

    def _spaced(self) -> bool:
        """Return whether white space was before the token, and reset the flag."""
        space, self._space = self._space, False
        return space

    # --- Pieces ---------------------------------------------------------------------------------

    def read_until(self, end: str) -> list[Piece]:
        """Return the pieces up to a closing character, which is consumed, or up to the end."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unreadable
        pieces: list[Piece] = []
        while found := self._peek():
            if found[0] == end:
                self._at = found.end()
                break
            pieces += self._shifted(self._read(pieces))
        else:
            if end:
                raise Unreadable
        self._depth -= 1
        return pieces

    def _read(self, before: list[Piece]) -> list[Piece]:
        """Return the pieces of the next token: usually one, several for a group, none if it is invisible."""
        found = self._next_token()
        space, written = self._spaced(), found[0]
        if written == "{":
            inner = self.read_until("}")
            if before and before[-1].kind is PieceKind.FUNCTION and _needs_brackets(inner):
                return [Piece(PieceKind.OPEN, "("), *inner, Piece(PieceKind.CLOSE, ")")]
            return [replace(inner[0], space=space or inner[0].space), *inner[1:]] if inner else []
        if written in "^_":
            return [Piece(PieceKind.LETTER, self._baseless(written, before), space=space)]
        if found[1] is not None:
            first, *others = self._command(found[1]) or (None,)
            if first is None:
                self._space = self._space or space
                return []
            if first.kind is PieceKind.LETTER and first.text in _TIGHT:
                self._at = _ENDS_NAME.match(self._source, self._at).end()  # type: ignore[union-attr]
            return [self._fit(first, before, space), *others]
        return [self._fit(self._plain(written), before, space)]

    def _baseless(self, sign: str, before: list[Piece]) -> str:
        r"""Return a superscript or subscript without a base: `20$^\circ$C`, `CO$_2$`, `$^{14}$C`."""
        inner = self._argument()
        degree = sign == "^" and [piece.text for piece in inner] == ["∘"]
        if not degree and (before or self._depth > 1):
            raise Unreadable  # it would belong to the piece before it
        shift_one = raise_up if sign == "^" else lower
        shown = shift_one(Piece(PieceKind.LETTER, ""), inner)
        if shown.ends_open:
            raise Unreadable
        return shown.text

    def _plain(self, sign: str) -> Piece:
        """Return the piece of a character that represents itself."""
        if sign in _PLAIN:
            return Piece(_PLAIN[sign], _SHOWN.get(sign, sign))
        if sign[0].isascii() and sign[0].isdigit():
            return Piece(PieceKind.NUMBER, sign)
        if sign.isalpha() or sign in "'′″°%…":
            return Piece(PieceKind.LETTER, sign)
        raise Unreadable

    def _fit(self, piece: Piece, before: list[Piece], space: bool) -> Piece:
        """Return a piece with its spacing: an operator has white space on both sides or on none."""
        space = space or piece.space
        if piece.kind not in (PieceKind.BINARY, PieceKind.RELATION):
            # LaTeX shows `1 2` as 12; digits are separated only by an explicit space.
            thin = piece.kind is PieceKind.NUMBER and self._thin
            self._thin = False
            return replace(piece, space=space, wide=thin)
        operand = bool(before) and before[-1].kind not in (
            PieceKind.BINARY,
            PieceKind.RELATION,
            PieceKind.OPEN,
        )
        # A sign without an operand before it is unary: `-x`.
        if piece.kind is PieceKind.BINARY and not operand:
            self._peek()
            self._space = False
            return replace(piece, space=space, wide=False)
        return replace(piece, space=space)

    def _command(self, name: str) -> list[Piece]:
        """Return the pieces of a command."""
        for table, kind in _KINDS:
            if name in table:
                return [Piece(kind, table[name], wide=kind in (PieceKind.BINARY, PieceKind.RELATION))]
        if name in SPACES:
            self._space = self._thin = self._space or bool(SPACES[name])
            return []
        if name in FUNCTIONS:
            return [Piece(PieceKind.FUNCTION, name)]
        if name in SIGNS:
            return [self._sign(SIGNS[name])]
        read = _COMMANDS.get(name)
        if read is None:
            raise Unreadable
        return read(self, name)

    def _sign(self, sign: str) -> Piece:
        if sign in _OPEN:
            return Piece(PieceKind.OPEN, sign)
        if sign in _CLOSE:
            return Piece(PieceKind.CLOSE, sign)
        return Piece(PieceKind.BAR if sign in _BARS else PieceKind.LETTER, sign)

    def _argument(self) -> list[Piece]:
        """Return the argument of a command: a group, or the next digit, letter or command."""
        found = self._next_token()
        self._space = False
        if found[0] == "{":
            return self.read_until("}")
        if found[1] is not None:
            return self._command(found[1])
        if found[0][0].isdigit():
            self._at = found.start() + 1
            return [Piece(PieceKind.NUMBER, found[0][0])]
        if found[0] in "^_}":
            raise Unreadable
        return [self._plain(found[0])]

    def _raw(self) -> str:
        """Return a group of words as written."""
        if self._next_token()[0] != "{":
            raise Unreadable
        found = _WORDS.match(self._source, self._at)
        assert found
        if not self._source.startswith("}", found.end()):
            raise Unreadable
        self._at = found.end() + 1
        self._space = False
        return found[0]

    def _shifted(self, pieces: list[Piece]) -> list[Piece]:
        """Return pieces with the superscript and subscript after them, each at most once."""
        raised: list[Piece] | None = None
        lowered: list[Piece] | None = None
        while pieces and (found := self._peek()) and found[0] in "^_":
            self._at = found.end()
            if _BEYOND_ONE.match(self._source, self._at):
                raise Unreadable  # LaTeX raises only the first sign of `x^10` and `e^-2`, which is never intended
            if found[0] == "^" and raised is None:
                raised = self._argument()
            elif found[0] == "_" and lowered is None:
                lowered = self._argument()
            else:
                raise Unreadable
        if raised is None and lowered is None:
            return pieces
        if raised == [] or lowered == []:
            raise Unreadable
        if "".join(piece.text for piece in pieces) in load_words("units"):
            pieces = [Piece(PieceKind.WORD, to_line(pieces), space=pieces[0].space)]  # `{cm}^2`
        piece = shift(pieces, raised or (), lowered or ())
        return [replace(piece, ends_open=True) if piece.kind is PieceKind.BIG else piece]

    # --- Commands -------------------------------------------------------------------------------

    def read_fraction(self, _name: str) -> list[Piece]:
        return [fraction(self._argument(), self._argument())]

    def read_root(self, _name: str) -> list[Piece]:
        degree = ""
        if (found := self._peek()) and found[0] == "[":
            self._at = found.end()
            degree = to_line(self.read_until("]"))
        return [root(self._argument(), degree)]

    def read_words(self, name: str) -> list[Piece]:
        if name == "mathrm" and (inside := _RAISED_INSIDE.match(self._source, self._at)):
            self._at = inside.end()
            return self.read_until("}")
        text = _ESCAPE.sub(r"\1", self._raw())
        if not text.strip():
            self._space = self._space or bool(text)
            return []
        kind = PieceKind.LETTER if len(text) == 1 and text.isalpha() else PieceKind.WORD
        if name == "operatorname":
            kind = PieceKind.FUNCTION
        self._space = text[-1].isspace()
        return [Piece(kind, text.strip(), space=text[0].isspace())]

    def read_chemistry(self, _name: str) -> list[Piece]:
        group = _CHEMISTRY.match(self._source, self._at)
        shown = chemistry_to_unicode(group[1]) if group else None
        if group is None or shown is None:
            raise Unreadable
        self._at = group.end()
        return [Piece(PieceKind.WORD, shown)]

    def read_accent(self, name: str) -> list[Piece]:
        inner = self._argument()
        letters = all(len(piece.text) == 1 and piece.kind is PieceKind.LETTER for piece in inner)
        # A line may be drawn over several letters, but no other accent.
        if not letters or not inner or (len(inner) > 1 and name not in ("overline", "underline")):
            raise Unreadable
        return [replace(piece, text=piece.text + ACCENTS[name], space=False) for piece in inner]

    def read_tag(self, _name: str) -> list[Piece]:
        """Return the number of an equation, which LaTeX sets at the end of the line."""
        return [Piece(PieceKind.WORD, f"({self._raw()})", space=True)]

    def read_alphabet(self, name: str) -> list[Piece]:
        letters = ALPHABETS[name]
        inner = self._argument()
        if not all(len(piece.text) == 1 and piece.text in letters for piece in inner):
            raise Unreadable
        return [replace(piece, text=letters[piece.text]) for piece in inner]

    def read_boxed(self, _name: str) -> list[Piece]:
        return self._argument()

    def read_bracket(self, _name: str) -> list[Piece]:
        """Return nothing: the bracket follows as a token of its own; a dot means no bracket."""
        found = self._peek()
        if found and found[0] == ".":
            self._at = found.end()
        return []

    def read_not(self, _name: str) -> list[Piece]:
        found = self._next_token()
        sign = NEGATED.get(found[1] or found[0])
        if sign is None:
            raise Unreadable
        return [Piece(PieceKind.RELATION, sign, wide=True)]

    def read_modulus(self, name: str) -> list[Piece]:
        if name == "bmod":
            return [Piece(PieceKind.BINARY, "mod", wide=True)]
        return [Piece(PieceKind.GROUP, f"(mod {to_line(self._argument())})", space=True)]

    def read_nothing(self, _name: str) -> list[Piece]:
        return []


def _needs_brackets(pieces: list[Piece]) -> bool:
    r"""Return whether the braces after a function are shown: `\exp{-at}` without them is another formula."""
    signs = any(piece.kind in (PieceKind.BINARY, PieceKind.RELATION, PieceKind.POINT) for piece in pieces)
    return signs and pieces[0].kind is not PieceKind.OPEN


_KINDS = (
    (LETTERS, PieceKind.LETTER),
    (RELATIONS, PieceKind.RELATION),
    (BINARY, PieceKind.BINARY),
    (BIG, PieceKind.BIG),
)
_COMMANDS: dict[str, Callable[[_FormulaReader, str], list[Piece]]] = {
    **dict.fromkeys(_FRACTIONS, _FormulaReader.read_fraction),
    "sqrt": _FormulaReader.read_root,
    **dict.fromkeys(WORDS, _FormulaReader.read_words),
    **dict.fromkeys(ACCENTS, _FormulaReader.read_accent),
    **dict.fromkeys(ALPHABETS, _FormulaReader.read_alphabet),
    "ce": _FormulaReader.read_chemistry,
    "tag": _FormulaReader.read_tag,
    "boxed": _FormulaReader.read_boxed,
    **dict.fromkeys(BRACKETS, _FormulaReader.read_bracket),
    **dict.fromkeys(IGNORED, _FormulaReader.read_nothing),
    "not": _FormulaReader.read_not,
    **dict.fromkeys(("pmod", "bmod"), _FormulaReader.read_modulus),
}

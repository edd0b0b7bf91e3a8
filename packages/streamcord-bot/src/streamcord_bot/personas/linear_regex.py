r"""Regular expressions by untrusted authors, searched in linear time.

Python's `re` tries one alternative after the other, which can take exponential time: `(a+)+$`. This module follows all
alternatives at once (Thompson's construction, https://swtch.com/~rsc/regexp/regexp1.html), so that a character of the
text costs at most one step for each state of the expression. The syntax is that of JavaScript, in which keys of
lorebooks are written. Look-around, back-references and `\p{…}` are refused.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TypeAlias

MAX_PATTERN_CHARS = 500
MAX_STATES = 1000
"""A repetition such as `{100}` multiplies the states of what it repeats."""
MAX_REPEATS = 1000
MAX_DEPTH = 40
"""Groups inside of each other."""
MAX_FIRST = 20
"""Different first characters by which places are found; with more, every place is tried."""
STEPS_PER_PAUSE = 256
_EXPRESSION = re.compile(r"/(.+)/([dgimsuvy]*)", re.DOTALL)
_WORD = re.compile(r"\w")
_REPEAT = re.compile(r"\{(\d{1,4})(?:(,)(\d{1,4})?)?\}")
_CODE = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,5})\}")
_GROUP = re.compile(r"\?(?::|<[A-Za-z_]\w*>)")
_CATEGORIES = "dDwWsS"
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}


class RegexError(ValueError):
    """An expression is wrong, too large, or needs more than linear time."""


@dataclass(frozen=True, slots=True)
class _Char:
    """One character out of a class, as the source of an expression for `re`."""

    source: str


@dataclass(frozen=True, slots=True)
class _At:
    """A place between characters: `^`, `$`, `b` or `B`."""

    kind: str


@dataclass(frozen=True, slots=True)
class _Row:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    part: _Node
    least: int
    most: int | None


_Node: TypeAlias = _Char | _At | _Row | _Choice | _Repeat


def read_expression(key: str) -> LinearRegex | None:
    """Return the expression of a key that is written as one, `/hone?y/i`; `None` if it is plain words.

    Raises:
        RegexError: it is an expression that cannot be used.

    """
    found = _EXPRESSION.fullmatch(key)
    return LinearRegex(found[1], found[2]) if found else None


class LinearRegex:
    """An expression that can be searched for in any text.

    Args:
        pattern: the expression, without slashes.
        flags: JavaScript's flags; `i`, `m` and `s` matter.

    Raises:
        RegexError: it cannot be used.

    """

    def __init__(self, pattern: str, flags: str = "") -> None:
        if len(pattern) > MAX_PATTERN_CHARS:
            raise RegexError(f"longer than {MAX_PATTERN_CHARS} characters")
        self._flags = re.IGNORECASE if "i" in flags else re.NOFLAG
        self._has_lines = "m" in flags
        # What a state reads, or at which place it may be passed; `None` passes always.
        self._reads: list[re.Pattern[str] | str | None] = []
        # The states after each state.
        self._next: list[tuple[int, ...]] = []
        self._start = self._emit(_Parser(pattern, dot_all="s" in flags).parse(), self._state(None))
        # Finds the next place where a match may begin, quickly; `None` if each may be one.
        self._first = self._find_first()

    @property
    def size(self) -> int:
        """The number of its states, with which memory and time grow."""
        return len(self._reads)

    def has(self, text: str) -> bool:
        """Return whether the expression occurs in the text."""
        steps = self.search(text)
        while True:
            try:
                next(steps)
            except StopIteration as done:
                result: bool = done.value
                return result

    def search(self, text: str) -> Generator[int, None, bool]:
        """Search the text, and pause now and then; each pause tells the steps since the last one."""
        steps, current = 0, list[int]()
        at = 0
        while True:
            if not current and self._first is not None:
                found = self._first.search(text, at)
                if found is None:
                    return False
                at = found.start()
            current, visited = self._follow([*current, self._start], text, at)
            # State 0 is the end of the expression.
            if 0 in current:
                return True
            if at == len(text):
                return False
            # States that read nothing take time, too.
            steps += visited
            if steps >= STEPS_PER_PAUSE:
                yield steps
                steps = 0
            current = [after for state in current for after in self._read(state, text[at])]
            at += 1

    def _read(self, state: int, character: str) -> tuple[int, ...]:
        reads = self._reads[state]
        return self._next[state] if isinstance(reads, re.Pattern) and reads.match(character) else ()

    def _follow(self, states: list[int], text: str, at: int) -> tuple[list[int], int]:
        """Return the states that read a character, or are the end, after all that are passed without one.

        Also return how many states were visited for it.
        """
        seen: set[int] = set()
        found: list[int] = []
        waiting = states[::-1]
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            reads = self._reads[state]
            if state == 0 or isinstance(reads, re.Pattern):
                found.append(state)
            elif reads is None or self._is_at(reads, text, at):
                waiting += self._next[state]
        return found, len(seen)

    def _is_at(self, kind: str, text: str, at: int) -> bool:
        if kind == "^":
            return at == 0 or (self._has_lines and text[at - 1] == "\n")
        if kind == "$":
            return at == len(text) or (self._has_lines and text[at] == "\n")
        before = at > 0 and bool(_WORD.match(text[at - 1]))
        after = at < len(text) and bool(_WORD.match(text[at]))
        return (before is not after) is (kind == "b")

    def _find_first(self) -> re.Pattern[str] | None:
        waiting, seen = [self._start], set[int]()
        sources: set[str] = set()
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            reads = self._reads[state]
            if isinstance(reads, re.Pattern):
                sources.add(reads.pattern)
            elif state == 0:
                return None
            else:
                waiting += self._next[state]
        # One character each, so this takes linear time.
        return re.compile("|".join(sorted(sources)), self._flags) if len(sources) <= MAX_FIRST else None

    # --- From the tree to states, the last one first --------------------------------------------------

    def _state(self, reads: re.Pattern[str] | str | None, *after: int) -> int:
        if len(self._reads) >= MAX_STATES:
            raise RegexError(f"more than {MAX_STATES} states")
        self._reads.append(reads)
        self._next.append(after)
        return len(self._reads) - 1

    def _emit(self, node: _Node, after: int) -> int:
        """Add the states of a part, which lead to the state `after`, and return the first of them."""
        match node:
            case _Char(source):
                return self._state(re.compile(source, self._flags), after)
            case _At(kind):
                return self._state(kind, after)
            case _Row(parts):
                for part in reversed(parts):
                    after = self._emit(part, after)
                return after
            case _Choice(parts):
                return self._state(None, *(self._emit(part, after) for part in parts))
            case _Repeat(part, least, most):
                return self._emit_repeat(part, least, most, after)

    def _emit_repeat(self, part: _Node, least: int, most: int | None, after: int) -> int:
        if most is None:
            loop = self._state(None)
            self._next[loop] = (self._emit(part, loop), after)
            after = loop
        else:
            end = after
            for _ in range(most - least):
                after = self._state(None, self._emit(part, after), end)
        for _ in range(least):
            before, after = after, self._emit(part, after)
            if after == before:
                # An empty part stays empty, however often it is repeated.
                break
        return after


class _Parser:
    """Reads an expression into a tree."""

    def __init__(self, pattern: str, *, dot_all: bool) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        self._dot = _Char(r"[\s\S]" if dot_all else r"[^\n\r\u2028\u2029]")

    def parse(self) -> _Node:
        tree = self._choice()
        if self._at < len(self._pattern):
            raise RegexError("an unmatched )")
        return tree

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise RegexError("it ends too early")
        self._at += 1
        return character

    def _takes(self, character: str) -> bool:
        found = self._peek() == character
        self._at += found
        return found

    def _choice(self) -> _Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise RegexError(f"more than {MAX_DEPTH} groups inside of each other")
        rows = [self._row()]
        while self._takes("|"):
            rows.append(self._row())
        self._depth -= 1
        return rows[0] if len(rows) == 1 else _Choice(tuple(rows))

    def _row(self) -> _Node:
        parts: list[_Node] = []
        while self._peek() not in {"", "|", ")"}:
            parts.append(self._repeated(self._part()))
        return _Row(tuple(parts))

    def _part(self) -> _Node:
        part: _Node
        character = self._take()
        match character:
            case "(":
                part = self._group()
            case "[":
                part = _Char(self._class())
            case ".":
                part = self._dot
            case "^" | "$":
                part = _At(character)
            case "*" | "+" | "?":
                raise RegexError(f"nothing to repeat with {character}")
            case "\\":
                part = _At(self._take()) if self._peek() in {"b", "B"} else _Char(self._escape())
            case _:
                part = _Char(re.escape(character))
        return part

    def _group(self) -> _Node:
        if self._peek() == "?":
            found = _GROUP.match(self._pattern, self._at)
            if found is None:
                raise RegexError("look-around")
            self._at = found.end()
        inner = self._choice()
        if not self._takes(")"):
            raise RegexError("an unmatched (")
        return inner

    def _repeated(self, part: _Node) -> _Node:
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._peek())
        if bounds is not None:
            self._at += 1
        elif found := _REPEAT.match(self._pattern, self._at):
            least = int(found[1])
            bounds = (least, (int(found[3]) if found[3] else None) if found[2] else least)
            self._at = found.end()
        if bounds is None:
            return part
        least, most = bounds
        if max(least, most or 0) > MAX_REPEATS or (most is not None and most < least):
            raise RegexError("a repetition out of range")
        # A lazy repetition finds the same texts.
        self._takes("?")
        return _Repeat(part, least, most)

    def _escape(self) -> str:
        """Return what an escape means, as the source of an expression of one character."""
        character = self._take()
        if character in _CATEGORIES:
            return f"\\{character}"
        return re.escape(self._literal(character))

    def _literal(self, character: str) -> str:
        """Return the character that an escape means."""
        if character in _CONTROLS:
            return _CONTROLS[character]
        if found := _CODE.match(self._pattern, self._at - 1):
            self._at = found.end()
            return chr(int(found[1] or found[2] or found[3], 16))
        if character.isalnum():
            raise RegexError(f"\\{character}")
        return character

    def _class(self) -> str:
        """Return a class of characters, such as `[^a-z]`, as Python writes it."""
        negated = self._takes("^")
        items = list(self._class_items())
        if not items:
            # JavaScript's `[]` is no character, and `[^]` is any.
            return r"[\s\S]" if negated else r"[^\s\S]"
        return f"[{'^' if negated else ''}{''.join(items)}]"

    def _class_items(self) -> Iterator[str]:
        while not self._takes("]"):
            first = self._class_character()
            last = ""
            if self._peek() == "-" and self._pattern[self._at + 1 : self._at + 2] not in {"", "]"}:
                self._at += 1
                last = self._class_character()
            if not last or len(first) > 1 or len(last) > 1:
                # Beside a category such as `\d` the dash is a character.
                yield from (
                    (one if len(one) > 1 else re.escape(one))
                    for one in (first, *(("-", last) if last else ()))
                )
            elif first > last:
                raise RegexError(f"the range {first}-{last}")
            else:
                yield f"{re.escape(first)}-{re.escape(last)}"

    def _class_character(self) -> str:
        """Return one character, or a category such as that of digits."""
        character = self._take()
        if character != "\\":
            return character
        escaped = self._take()
        if escaped in _CATEGORIES:
            return f"\\{escaped}"
        return "\b" if escaped == "b" else self._literal(escaped)

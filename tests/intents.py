"""Documents that are known before they are written: a tree of prose and code, printed as models print it.

The invariant Intent needs no parser: the one who prints a tree knows of every character whether it is code. A page
keeps one letter per character: `c` for code, `p` for prose, and a space for what may be either (fences of
the outermost blocks, blank lines).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from conservation import Account

PROSE = (
    "The kettle sings.", "Here is what you asked for:", "Then this happens.", "# A heading", "- an item",
    "Nothing else is needed, I think.", "Und noch ein Satz.", "これで終わりです。", "Use `x` for it.",
    "**Bold words** are prose, too.",
)  # fmt: skip
LANGUAGES = ("py", "js", "rust", "c++", "sh", "json")
LINES = (
    "x = 1",
    "def f(a, b):",
    "    return a",
    "",
    "print(`x`)",
    "echo hi",
    "{",
    "}",
    "<b>no tag</b>",
    "* * *",
)
TRAPS = (
    'fence = "```" + name', "re.match('```(.*)```', text)", "// ```", "/// Use: ```", "```js", "~~~",
    " * ```",
    "split at ``` and go on",
    "    ```\n    f()\n    ```", "s = '```",
)  # fmt: skip
ANNOUNCED = ("Run this:", "For example:", "And then:")
_BLOCK = re.compile(r"```.*?```", re.DOTALL)


@dataclass(slots=True)
class Page:
    """A text, what each of its characters is, and whether CommonMark would read it the same."""

    text: str = ""
    labels: str = ""
    common: bool = True
    kinds: set[str] = field(default_factory=set)

    def write(self, text: str, label: str) -> None:
        self.text += text
        self.labels += "".join(" " if character.isspace() else label for character in text)


class Author:
    """Writes pages from a `Random`; `tildes` says whether fences may be made of them."""

    def __init__(self, random: Random, *, tildes: bool = True) -> None:
        self._random, self._tildes = random, tildes
        self._page = Page()
        self._outer = ""  # the fence of the outermost block

    def write(self) -> Page:
        """A page: prose and blocks by turns, with blank lines between them."""
        for _ in range(self._random.randint(1, 4)):
            self._page.write(self._random.choice(PROSE) + "\n\n", "p")
            indent = self._random.choice(("", "", "", "  ", "   "))
            self._block(indent, "", self._random.randint(0, 3))
            self._page.write("\n\n", " ")
        self._page.write(self._random.choice(PROSE) + "\n", "p")
        return self._page

    # A block is outermost (its fences are no content) or lies in another (then everything is code).

    def _block(self, indent: str, inside: str, depth: int) -> None:
        mark = self._mark(inside)
        self._outer = self._outer if inside else mark
        kind = self._random.choice(("code", "code", "document") if depth else ("code", "code", "bare"))
        self._page.kinds.add(f"{kind} {mark}" + (" inside" if inside else ""))
        if inside:
            self._page.common = self._page.common and len(inside) > 3
        language = {
            "code": self._random.choice(LANGUAGES),
            "document": self._random.choice(("markdown", "md", "Markdown", "")),
            "bare": "",
        }[kind]
        if inside and kind == "document" and not language:
            language = "md"  # a bare block only opens where it is announced
        label = "c" if inside else " "
        self._page.write(f"{indent}{mark}{language}\n", label)
        if kind == "document":
            self._document(indent, mark, language, depth)
        else:
            self._code(indent, mark, named=bool(language))
        if kind == "code" and mark == "```" and not inside and self._random.random() < 0.1:
            self._page.write("done()```", "c")  # a sloppy end
            self._page.labels = self._page.labels[:-3] + "   "
            self._page.common = False
        else:
            self._page.write(f"{indent}{mark}", label)

    def _mark(self, inside: str) -> str:
        choices = ["```", "```", "```", "````", "`````"] + ["~~~", "~~~~"] * self._tildes
        if inside:  # shorter than a long one, or like a short one
            choices = ["```"] if inside[0] == "`" else ["```", "````"]
        return self._random.choice(choices)

    def _code(self, indent: str, mark: str, *, named: bool) -> None:
        self._page.write(f"{indent}{self._random.choice(LINES[:3])}\n", "c")
        for _ in range(self._random.randint(0, 4)):
            trap = named and self._random.random() < 0.3
            lines = self._random.choice(TRAPS if trap else LINES)
            if lines == "~~~" and "~" in self._outer + mark:
                continue
            if lines.startswith("    ```") and indent:
                self._page.common = False  # CommonMark counts from the margin
            for line in lines.split("\n"):
                self._page.write(f"{indent}{line}\n" if line else "\n", "c")

    def _document(self, indent: str, mark: str, language: str, depth: int) -> None:
        """Prose and blocks in a block; a bare document begins with a named block."""
        if language:
            self._page.write(f"{indent}{self._random.choice(PROSE)}\n\n", "c")
        for number in range(self._random.randint(1, 3)):
            if number and self._random.random() < 0.4:
                self._bare(indent, mark)
            else:
                before = len(self._page.text)
                self._block(indent, mark, 0 if not language and not number else depth - 1)
                if not number and not language and _is_bare(self._page.text[before:]):
                    self._name(before)
            self._page.write(f"\n\n{indent}{self._random.choice(PROSE)}\n\n", "c")

    def _bare(self, indent: str, mark: str) -> None:
        """A block without a language, behind a blank line or a colon."""
        self._page.kinds.add("bare inside")
        self._page.common = self._page.common and len(mark) > 3
        gap = self._random.choice(("\n", ""))
        announced = self._random.choice(ANNOUNCED)
        self._page.write(f"{indent}{announced}\n{gap}{indent}```\n{indent}x --help\n{indent}```", "c")

    def _name(self, at: int) -> None:
        """The first block of a bare document gets a language."""
        newline = self._page.text.index("\n", at)
        self._page.text = self._page.text[:newline] + "py" + self._page.text[newline:]
        self._page.labels = self._page.labels[:newline] + "cc" + self._page.labels[newline:]


def _is_bare(block: str) -> bool:
    return not block.split("\n", 1)[0].strip(" `~")


def misread(page: Page, account: Account) -> list[str]:
    """What is shown as something else than it was meant to be."""
    faults: list[str] = []
    for shown in account.shown:
        content = shown.message.content
        code = [place for block in _BLOCK.finditer(content) for place in range(*block.span())]
        inside = [False] * len(content)
        for place in code:
            inside[place] = True
        for place, origin in enumerate(shown.origins):
            label = page.labels[origin] if origin >= 0 else " "
            if (label == "c" and not inside[place]) or (label == "p" and inside[place]):
                is_code = "code" if label == "c" else "prose"
                faults.append(f"{is_code} shown otherwise: {content[place : place + 40]!r} in {content!r}")
                break
    return faults

"""Texts that would hurt a scanner which looks back, looks far ahead, or keeps what it need not keep."""

from __future__ import annotations

from prose import read_answers

FLOODS = {
    "newlines": "\n",
    "backticks": "`",
    "asterisks": "*",
    "underscores": "_",
    "( flood": "(",
    "[ flood": "[",
    "< flood": "<",
    "| flood": "|",
}

RULE_FLOODS = {
    "newlines": "\n",
    "@": "@",
    "|": "|",
    ":": ":",
    "(": "(",
    "[](": "[](",
    "handles": "@user1 ",
    "shortcodes": " :emoji_1: ",
    "thin lines": "---\n",
    "stars": "***\n",
    "deep headings": "#### x\n",
    "dots": "...\n",
    "labels": "Luna (mad): a\n",
}


def shape(name: str, length: int) -> str:
    """A text of that shape and exactly that length."""
    if name in FLOODS:
        return FLOODS[name] * length
    head, body = {
        "prose": ("", "\n\n".join(read_answers()[0]) + "\n\n"),
        "code block": ("```python\n", "def name(value):\n    return value + 1\n\n"),
        "open quote": ('He said "', "and then something else happened without an end "),
        "table": ("| a | b | c | d |\n|---|---|---|---|\n", "| 12 | ab | cd | ef |\n"),
    }[name]
    return (head + body * (length // len(body) + 1))[:length]


NAMES = ("prose", "code block", "open quote", *FLOODS, "table")

"""Collect the rows of a benchmark, print them, and write them as a Markdown table."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measured value and the limit that it must keep."""

    name: str
    value: str
    limit: str
    passed: bool


class Board:
    """The table of one run; `missed` counts the limits that were not kept."""

    def __init__(self) -> None:
        self.missed = 0
        # Sections in the order in which they were measured: (title, rows).
        self.sections: list[tuple[str, list[Row]]] = []

    def head(self, title: str) -> None:
        """Begin a section."""
        self.sections.append((title, []))
        print(f"\n{title}", flush=True)

    def row(self, name: str, value: str, limit: str, passed: bool) -> None:
        """Add a value to the current section."""
        self.missed += not passed
        self.sections[-1][1].append(Row(name, value, limit, passed))
        print(f"  {name:<32} {value:<34} {limit:<14} {_verdict(passed)}", flush=True)

    def as_markdown(self) -> str:
        """Return all sections as Markdown tables."""
        lines: list[str] = []
        for title, rows in self.sections:
            lines += [f"## {title}", "", "| measured | value | limit | |", "|---|--:|--:|---|"]
            for row in rows:
                # A bar in a name, such as the flood of bars, would end the table cell.
                name = row.name.replace("|", "\\|")
                lines.append(f"| {name} | {row.value} | {row.limit} | {_verdict(row.passed)} |")
            lines.append("")
        return "\n".join(lines)


def progress(text: str) -> None:
    """Show what is running, on a terminal only; an empty text clears the line."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _verdict(passed: bool) -> str:
    return "pass" if passed else "FAIL"

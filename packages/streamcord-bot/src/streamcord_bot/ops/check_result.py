"""One line of the report of `streamcord-bot check`."""

from __future__ import annotations

from dataclasses import dataclass

REQUEST_TIMEOUT_S = 30.0
"""Seconds that a server or process may take to answer."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the report: what was checked, whether it is fine, and what to do if it is not."""

    subject: str
    ok: bool
    words: str
    advice: str = ""

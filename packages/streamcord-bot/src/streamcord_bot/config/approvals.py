"""Which tools people must approve, and who may."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord import SettingsError

APPROVALS = ("always", "first", "never")


def check_approval(field: str, value: object) -> None:
    """Raise `SettingsError` for a value that is no kind of approval."""
    if value not in APPROVALS:
        raise SettingsError(field, "one of " + ", ".join(APPROVALS), value)


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """How one tool must be approved."""

    mode: str = "never"
    approvers: tuple[int, ...] = ()
    """Ids of people or roles; empty is the person who asked."""

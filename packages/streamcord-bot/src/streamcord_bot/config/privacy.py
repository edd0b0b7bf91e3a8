"""`[privacy]`: how long data about people is kept."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord.settings import check_fields, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyConfig:
    """`[privacy]`: how long data about people is kept."""

    days: int = setting(
        90,
        "Days after which answers and the record of changes are deleted; 0 is never.",
        minimum=0,
        maximum=3650,
    )
    forget_left: bool = setting(
        True, "Whether everything of a server is deleted when the bot leaves it, its personas included."
    )

    def __post_init__(self) -> None:
        check_fields(self)

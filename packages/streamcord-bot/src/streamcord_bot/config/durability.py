"""`[durability]`: what survives a restart, and which missed questions are still answered."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord.settings import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class DurabilityConfig:
    """`[durability]`: what survives a restart."""

    journal: bool = setting(
        True, "Whether answers are recorded as they arrive, so that they resume after a restart."
    )
    fsync: bool = setting(
        False,
        "Whether the record also survives a power loss; every message then waits for the disk.",
    )
    catch_up: float = setting(
        900.0,
        "After a restart, questions up to this many seconds old are answered; 0 is none.",
        minimum=0,
        maximum=86_400,
    )
    grace: float = setting(
        8.0,
        "Seconds that running answers have at a shutdown; they resume after the restart.",
        minimum=0,
        maximum=600,
    )

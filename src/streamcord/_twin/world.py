"""The parts of one twin, tied together for those who serve it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .faults import Faults
from .log import Log
from .rest.rate_limits import Limiter
from .state.state import State
from .switches import Switches

if TYPE_CHECKING:
    from collections.abc import Callable

    from .clock import Clock
    from .gateway.gateway import Gateway
    from .log import Record

__all__ = ["World"]


@dataclass(slots=True, eq=False)
class World:
    """State, time, limits, faults and log of one twin; `switches` may be replaced while it runs."""

    clock: Clock
    switches: Switches = field(default_factory=Switches)
    seed: int = 0
    on_change: Callable[[], None] = lambda: None
    """Called when a request came in, or a gateway client connected, spoke or went."""
    on_answer: Callable[[Record], None] = lambda _: None
    """Called when a request to the API has been answered, or cut off."""
    go_dark: Callable[[float], None] = lambda _: None
    """Called to refuse connections for so many seconds."""
    faults: Faults = field(default_factory=Faults)
    log: Log = field(default_factory=Log)
    state: State = field(init=False)
    limits: Limiter = field(init=False)
    rng: random.Random = field(init=False)
    gateway: Gateway = field(init=False)

    def __post_init__(self) -> None:
        self.state = State(self.clock.now)
        self.limits = Limiter(self.clock, lambda: self.switches)
        self.rng = random.Random(self.seed)

    def chance(self, probability: float) -> bool:
        """Draw from the twin's own seed."""
        # A probability of 0 draws nothing, so that a switch that is off does not shift the draws of others.
        return probability > 0 and self.rng.random() < probability

"""The tour of the demo: its steps, and what each of them types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from .user import DemoUser


@dataclass(frozen=True, slots=True)
class TourStep:
    """One step of the tour: an explanation, and lines that are run as if they were typed.

    A line `:after N LINE` is done while the answer before it still comes, once it has N messages.
    """

    words: str
    lines: tuple[str, ...]


STEPS = (
    TourStep(
        "A [bold]table[/]: Discord cannot show one, so it becomes a picture.", ("#general", "show me a table")
    ),
    TourStep("[bold]Code[/] stays whole, whatever quotes are open.", ("show me some code",)),
    TourStep(
        "A [bold]long answer[/] in one text (degree 0), cut only where it must be.",
        ("#whole", "tell me a long story"),
    ),
    TourStep(
        "The same at degree 3: a message per [bold]sentence[/], as people type. Stop ends it.",
        ("#sentences", "tell me a long story", ":after 3 :press stop"),
    ),
    TourStep(
        "[bold]Live[/], as assistants like it: one message, sent early and edited while the model writes.",
        ("#live", "tell me a long story"),
    ),
    TourStep(
        "[bold]Sprites[/]: the model names a look, and its messages wear it.",
        ("#general", "show me your sprites"),
    ),
    TourStep("[bold]Tools[/]: words before a call are not lost, and the result is real.", ("roll two dice",)),
    TourStep(
        "[bold]Thoughts[/] never show in the channel; here they are logged.", ("do you think?", "#thoughts")
    ),
    TourStep(
        "[bold]Stop[/]: at most one more message, then silence.",
        ("#general", "count to thirty", ":after 2 /stop"),
    ),
    TourStep(
        "Another [bold]persona[/], with a name and an avatar of its own.", ("/persona switch Orbit", "hello!")
    ),
    TourStep("And back. From here on it is yours: just write.", ("/persona switch Luna",)),
)
Do = Callable[[str], Awaitable[None]]


class Tour:
    """Leads through the steps of the tour."""

    def __init__(self, person: DemoUser, do: Do) -> None:
        self._person = person
        self._do = do
        # The index of the next step.
        self._at = 0

    @property
    def is_over(self) -> bool:
        """Whether every step was taken."""
        return self._at >= len(STEPS)

    def announce(self, hint: str = "  [dim]Enter: show me · :leave[/]") -> None:
        """Print what the next step shows."""
        step = STEPS[self._at]
        self._person.screen.say(f"[bold cyan]{self._at + 1}/{len(STEPS)}[/] {step.words}{hint}")

    async def step(self) -> None:
        """Take one step."""
        step = STEPS[self._at]
        self._at += 1
        for line in step.lines:
            await self._do(line)

"""A short tour: what is shown, where, and what is typed for the newcomer at each step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from .person import Person

__all__ = ["STEPS", "Step", "Tour"]


@dataclass(frozen=True, slots=True)
class Step:
    """One stop of the tour: words about it, then these lines, as if they were typed.

    A line `:after N LINE` is done while the answer before it still comes, once it has N messages.
    """

    words: str
    lines: tuple[str, ...]


STEPS = (
    Step(
        "A [bold]table[/]: Discord cannot show one, so it becomes a picture.", ("#general", "show me a table")
    ),
    Step("[bold]Code[/] stays whole, whatever quotes are open.", ("show me some code",)),
    Step(
        "A [bold]long answer[/] in one text (degree 0), cut only where it must be.",
        ("#whole", "tell me a long story"),
    ),
    Step(
        "The same at degree 3: a message per [bold]sentence[/], as people type. Stop ends it.",
        ("#sentences", "tell me a long story", ":after 3 :press stop"),
    ),
    Step(
        "[bold]Sprites[/]: the model names a look, and its messages wear it.",
        ("#general", "show me your faces"),
    ),
    Step("[bold]Tools[/]: words before a call are not lost, and the result is real.", ("roll two dice",)),
    Step(
        "[bold]Thoughts[/] never show in the channel; here they are logged.", ("do you think?", "#thoughts")
    ),
    Step(
        "[bold]Stop[/]: at most one more message, then silence.",
        ("#general", "count to thirty", ":after 2 /stop"),
    ),
    Step("Another [bold]persona[/], with a name and a face of its own.", ("/persona switch Orbit", "hello!")),
    Step("And back. From here on it is yours: just write.", ("/persona switch Luna",)),
)

Do = Callable[[str], Awaitable[None]]


class Tour:
    """Walks a person from step to step."""

    def __init__(self, person: Person, do: Do) -> None:
        self._person = person
        self._do = do
        self._at = 0

    @property
    def is_over(self) -> bool:
        """Whether every step was taken."""
        return self._at >= len(STEPS)

    def announce(self) -> None:
        """Say what comes next."""
        step = STEPS[self._at]
        self._person.screen.say(
            f"[bold cyan]{self._at + 1}/{len(STEPS)}[/] {step.words}  [dim]Enter: show me · :leave[/]"
        )

    async def step(self) -> None:
        """Take one step."""
        step = STEPS[self._at]
        self._at += 1
        for line in step.lines:
            await self._do(line)

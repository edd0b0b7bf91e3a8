"""Diagrams and formulas, drawn in a process of their own: what they cost, and what they may not do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from streamcord import Attachment, Drawing, FencedCode, Message, Settings
from streamcord._render.drawing_process import MAX_WAITING, DrawingProcess
from streamcord._render.drawing_renderer import DrawingRenderer
from streamcord._turn.rendering import choose_drawings
from streamcord.utils import PNG_SIGNATURE, draw_files

DIAGRAM = "graph LR\n  A[Ask] --> B{Sure?}\n  style A fill:#fff"
MATRIX = r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}"
# A chain that takes far more than two seconds, and label text that grows the memory.
COSTLY = "graph TD\n" + "\n".join(f"  A{at} --> B{at % 7}\n  B{at % 7} --> A{at + 1}" for at in range(90))


@pytest.fixture(scope="module")
def diagrams() -> Iterator[DrawingProcess]:
    process = DrawingProcess("diagram", seconds=60)
    yield process
    process.close()


@pytest.fixture(scope="module")
def formulas() -> Iterator[DrawingProcess]:
    process = DrawingProcess("formula", seconds=60)
    yield process
    process.close()


@pytest.mark.parametrize(
    "code",
    [
        DIAGRAM,
        "sequenceDiagram\n  Anna->>Bob: Größe?",
        'pie title Pets\n  "Dogs" : 3\n  "Cats" : 1',
        "graph LR\n  A[🚀 Start] --> B",  # the picture goes without the rocket
    ],
)
def test_a_diagram_is_a_png(diagrams: DrawingProcess, code: str) -> None:
    assert diagrams.draw(code).startswith(PNG_SIGNATURE)


@pytest.mark.parametrize("code", [MATRIX, r"\ket{\psi} = \alpha\ket{0}", r"\int_0^1 \frac{1}{x}\,dx"])
def test_a_formula_is_a_png_and_the_same_each_time(formulas: DrawingProcess, code: str) -> None:
    picture = formulas.draw(code)

    assert picture.startswith(PNG_SIGNATURE)
    assert formulas.draw(code) == picture


@pytest.mark.parametrize(
    "code",
    [
        "",
        "graph TD\n  A[Start --> B{",
        'graph TD\n  A@{ img: "file:///etc/passwd", w: 60, h: 60 } --> B',
        "graph TD\n  A[\"<img src='file:///etc/hosts'/>\"] --> B",
        "graph TD\n  A[" + "x" * 25_000 + "]",
        "graph LR\n  A[\U00012345]",  # no font has it
        "\0" * 100,
    ],
)
def test_a_broken_or_hostile_diagram_is_not_drawn(diagrams: DrawingProcess, code: str) -> None:
    assert diagrams.draw(code) == b""


@pytest.mark.parametrize(
    "code",
    [
        "",
        r"\frac{",
        r"\unknown{x}",
        r"\def\a{\a\a}\a",
        r"\input{/etc/passwd}",
        r"\href{javascript:alert(1)}{x}",
        r"\text{日本}",  # the font lacks it
        r"\begin{array}{c|c} a & b \end{array}",  # its line would be missing
        "x^{" * 150 + "}" * 150,
        "a" * 500,  # wider than any screen
    ],
)
def test_a_broken_or_hostile_formula_is_not_drawn(formulas: DrawingProcess, code: str) -> None:
    assert formulas.draw(code) == b""


def test_a_costly_diagram_ends_its_process_and_the_next_one_is_drawn(diagrams: DrawingProcess) -> None:
    assert diagrams.draw(COSTLY) == b""
    assert diagrams.draw(DIAGRAM).startswith(PNG_SIGNATURE)


def test_the_process_has_little_memory_no_files_and_no_secrets(
    diagrams: DrawingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    diagrams.close()
    monkeypatch.setenv("DISCORD_TOKEN", "secret")
    diagrams.draw(DIAGRAM)
    assert diagrams._process is not None
    about = Path(f"/proc/{diagrams._process.pid}")

    limits = (about / "limits").read_text()
    assert re.search(rf"Max address space +{256 * 1024 * 1024} ", limits)
    assert re.search(r"Max open files +3 +3 ", limits)
    assert b"secret" not in (about / "environ").read_bytes()


def test_too_many_that_wait_are_refused_at_once() -> None:
    process = DrawingProcess("formula")
    for _ in range(MAX_WAITING):
        process._slots.acquire()

    assert process.draw(MATRIX) == b""
    assert process._process is None


def test_letters_of_east_asia_are_drawn_with_their_fonts() -> None:
    renderer = DrawingRenderer(frozenset({"diagram"}))
    picture = renderer.draw(Drawing("diagram", "graph LR\n  A[質問] --> B[回答]", "", "A flowchart"))

    assert picture is not None
    assert picture.content.startswith(PNG_SIGNATURE)
    assert (picture.alt, picture.has_source) == ("A flowchart", True)


def test_a_drawing_that_cannot_be_drawn_is_its_code() -> None:
    drawing = Drawing("diagram", "nonsense", "```mermaid\nnonsense\n```", "A diagram")

    message = draw_files(Message("", files=(drawing,), fallback=drawing.source))

    assert (message.content, message.files) == (drawing.source, ())


def test_a_renderer_of_the_caller_gets_the_diagram_as_code() -> None:
    class Own:
        def draw(self, value: object) -> Attachment | None:
            if isinstance(value, FencedCode) and value.language == "mermaid":
                return Attachment("own.png", value.code.encode())
            return None

    drawing = Drawing("diagram", "nonsense", "", "A diagram")

    assert draw_files(Message("", files=(drawing,)), [Own()]).files == (Attachment("own.png", b"nonsense"),)


def test_auto_draws_what_is_installed() -> None:
    chosen = choose_drawings(Settings())
    without = choose_drawings(Settings(formulas="picture"), renderers=())

    assert (chosen.diagrams, chosen.formulas) == ("picture", "picture")
    assert (without.diagrams, without.formulas) == ("code", "picture")

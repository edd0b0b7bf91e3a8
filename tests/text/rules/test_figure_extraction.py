"""Diagrams and formulas are taken out of the text as values, and their descriptions say what they show."""

from __future__ import annotations

import time
from random import Random

import pytest

from conservation import conserve
from streamcord import Degree, Drawing, Message, Pipeline, Settings
from streamcord._text.markdown.diagram_alt_text import describe_diagram
from streamcord._text.math.formula_alt_text import describe_formula
from streamcord._text.rules.figure_extraction import MAX_DRAWINGS, find_diagram

FLOW = "```mermaid\ngraph TD\n  A --> B\n\n  B --> C\n```"
KET = r"$$\ket{\psi}$$"
ANSWER = (
    f"Here is the flow:\n\n{FLOW}\n\nAnd the formula:\n\n{KET}.\n\nwhere $x$ is \\[ \\ket{{a}} \\] done.\n\n"
    "- item\n  ```mermaid\n  graph LR\n  A-->B\n  ```\n\nThe end, and $$x^2$$ is text."
)


def plan(text: str, size: int = 1_000_000, **settings: object) -> list[Message]:
    pipeline = Pipeline(Settings(**{"diagrams": "picture", "formulas": "picture", **settings}), Random(0))  # type: ignore[arg-type]
    events = [event for at in range(0, len(text), size) for event in pipeline.feed(text[at : at + size])]
    return [event for event in [*events, *pipeline.flush()] if isinstance(event, Message)]


@pytest.mark.parametrize("size", [1, 13, 1_000_000])
@pytest.mark.parametrize("degree", Degree)
@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f"{KET}{KET} {KET}\n{FLOW}\n{FLOW}",
        f"## Flow\n{FLOW}\n\n## Next\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n{KET}, so",
        f"1. {KET}\n2. x {KET}\n\n||a {KET} b||\n\n```mermaid\ngraph TD",
    ],
)
def test_characters_of_a_source_with_drawings_get_lost(text: str, degree: Degree, size: int) -> None:
    pipeline = Pipeline(
        Settings(degree=degree, humanize=False, diagrams="picture", formulas="picture"), Random(0)
    )
    events = [event for at in range(0, len(text), size) for event in pipeline.feed(text[at : at + size])]

    assert conserve(text, [*events, *pipeline.flush()]).violations == []


def drawings(messages: list[Message]) -> list[str]:
    return [file.code for message in messages for file in message.files if isinstance(file, Drawing)]


@pytest.mark.parametrize("size", [1, 7, 1_000_000])
@pytest.mark.parametrize(
    "settings",
    [{"degree": 0}, {"degree": 1}, {"degree": 2}, {"degree": 3}, {"degree": 0, "delivery": "live"}],
    ids=str,
)
def test_whole_blocks_and_displays_become_drawings(settings: dict[str, object], size: int) -> None:
    messages = plan(ANSWER, size, **settings)

    assert drawings(messages) == [
        "graph TD\n  A --> B\n\n  B --> C",
        r"\ket{\psi}",
        r"\ket{a}",
        "graph LR\nA-->B",
    ]
    assert [message.content for message in messages if message.files] == ["", "", "", ""]
    assert [message.fallback for message in messages if message.files][:2] == [FLOW, f"```tex\n{KET}\n```"]
    assert not any("ket" in message.content or "graph" in message.content for message in messages)


@pytest.mark.parametrize(
    "text",
    [
        f"||{KET}||",  # a picture would show what is hidden
        f"> {KET}",
        "> ```mermaid\n> graph TD\n> A --> B\n> ```",
        f"the inline $\\ket{{a}}$ and `{KET}`",
        f"```tex\n{KET}\n```",
        "```python\ngraph TD\n```",
        f"```md\n{FLOW}\n```",
        "```mermaid\n```",
        "```mermaid\n" + "A --> B\n" * 3000 + "```",
        "$$" + "x + " * 200 + "\\ket{a}$$",
        "It costs $$ and \\[ no formula \\].",
    ],
)
def test_what_is_hidden_quoted_code_or_too_long_is_not_drawn(text: str) -> None:
    assert drawings(plan(text)) == []


def test_without_the_setting_nothing_changes() -> None:
    assert drawings(plan(ANSWER, diagrams="auto", formulas="code")) == []
    assert drawings(plan(ANSWER, rules=False)) == []


def test_an_answer_has_a_limited_number_of_drawings() -> None:
    assert len(drawings(plan(f"{KET}\n\n{FLOW}\n\n" * MAX_DRAWINGS))) == MAX_DRAWINGS


def test_secrets_are_not_drawn() -> None:
    messages = plan("```mermaid\ngraph TD\n  A[h7GkQ-2vLx9] --> B\n```", secrets=("h7GkQ-2vLx9",))

    assert "h7GkQ" not in "".join(drawings(messages))
    assert "h7GkQ" not in str([file.alt for message in messages for file in message.files])


def test_a_live_diagram_is_not_shown_as_code_while_it_grows() -> None:
    pipeline = Pipeline(Settings(delivery="live", degree=0, diagrams="picture"), Random(0))
    pipeline.feed("Look:\n\n```mermaid\ngraph TD\n" + "  A --> B\n\n" * 40)
    draft = pipeline.draft()

    assert draft is not None
    assert draft.message.content == "Look:"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "graph TD\n A[Start] --> B{Is it?}\n B -->|Yes| C[OK]\n B -- No --> D((End))\n E[Alone]",
            "A flowchart: Start leads to Is it?; Is it? leads to OK (Yes); Is it? leads to End (No); Alone",
        ),
        ("flowchart LR; A & B-->C;C-.->D", "A flowchart: A and B leads to C; C leads to D"),
        (
            "sequenceDiagram\n participant A as Ann\n A->>Bob: Hello\n Bob-->>A: Hi",
            "A sequence diagram: Ann to Bob: Hello; Bob to Ann: Hi",
        ),
        ('pie title Pets\n "Dogs" : 3', "A pie chart: title Pets; Dogs : 3"),
        ("%% a comment", "A diagram"),
        ("", "A diagram"),
    ],
)
def test_a_diagram_is_described_in_its_own_words(code: str, words: str) -> None:
    assert describe_diagram(code) == words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (r"\frac{a+b}{2}", "(a plus b) over 2"),
        (r"\sum_{i=1}^{n} i^2", "the sum from i equals 1 to n of i squared"),
        (r"A^{-1} \neq \sqrt[3]{x}", "A inverse is not the root of order 3 of x"),
        (
            r"\begin{cases} 1 & \text{if } x > 0 \\ 0 \end{cases}",
            "cases of 1 , if x is greater than 0 ; 0 end of cases",
        ),
        (r"\begin{pmatrix} a & b \end{pmatrix}", "matrix of a , b end of matrix"),
        ("{" * 60, "{" * 60),
    ],
)
def test_a_formula_is_described_in_words(code: str, words: str) -> None:
    assert describe_formula(code) == f"A formula: {words}"


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000,
        "A[" * 2500,
        "A-->" * 1250,
        "graph TD\n" + "-" * 4900,
        "graph TD\n" + '"' * 4900,
        "<" * 5000,
        "\\" * 5000,
    ],
)
def test_descriptions_are_short_and_take_little_time(code: str) -> None:
    words, best = [""], 9.0
    for _ in range(3):
        start = time.process_time()
        words = [describe_diagram(code), describe_formula(code)]
        best = min(best, time.process_time() - start)

    assert all(0 < len(one) <= 1024 for one in words)
    assert best < 0.1


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("flowchart TD\nsubgraph Kitchen\nA[Egg] --> B[Pan]\nend", "A flowchart: Egg leads to Pan; Kitchen"),
        ('graph LR\nA["x --> y"] --> B', "A flowchart: x y leads to B"),
        (
            "sequenceDiagram\nparticipant A as Ada\nactivate A\nA->>B: Hello\nloop every day\nend",
            "A sequence diagram: Ada to B: Hello; loop every day",
        ),
    ],
)
def test_groups_labels_with_arrows_and_loops_of_a_diagram_are_said(code: str, words: str) -> None:
    assert describe_diagram(code) == words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (r"\begin{array}{cc} 1 & 2 \\ 3 & 4 \end{array}", "A formula: table of 1 , 2 ; 3 , 4 end of table"),
        (r"\begin{aligned} a &= b \end{aligned}", "A formula: a , equals b"),
        (r"\sqrt[3]{x}", "A formula: the root of order 3 of x"),
        (r"5 \% \, x", "A formula: 5 % x"),
        (r"x_1", "A formula: x sub 1"),
        (r"\sum\limits_{i=1}^{n} i", "A formula: the sum from i equals 1 to n of i"),
    ],
)
def test_tables_roots_and_limits_of_a_formula_are_said(code: str, words: str) -> None:
    assert describe_formula(code) == words


def test_an_empty_diagram_is_not_drawn() -> None:
    assert find_diagram("```mermaid\n \n```") is None

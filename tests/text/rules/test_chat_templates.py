"""Which tokens of chat templates are removed, and whose turn they begin."""

from __future__ import annotations

import pytest

from streamcord import Settings
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.chat_templates import NextTurn, drop_turn_tokens
from streamcord._text.traced_text import TracedText


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hi<|im_end|>", "hi"),
        ("hi <|EOT_ID|> <|endoftext|>", "hi"),
        ("a <end_of_turn> b", "a b"),
        ("x<｜end▁of▁sentence｜>", "x"),
        ("`<|im_end|>`", "`<|im_end|>`"),
        ("a <|pipe|> b || c", "a <|pipe|> b || c"),
        ("hi</s>", "hi"),
        ("<s>hi</s>", "hi"),
        ("now <s>10 €</s> 5 €", "now <s>10 €</s> 5 €"),
        ("[INST] hi [/INST]", "hi"),
        ("the [INST] in `[INST]`", "the in `[INST]`"),
        ("<<SYS>>\nhi", "\nhi"),
        ("<START>\nhi", "\nhi"),
        ("press <START> now", "press <START> now"),
        ("hi\n### Instruction:\n", "hi\n\n"),
        ("### Instruction: mix it", "### Instruction: mix it"),
        ("hi<|eot_id|><|start_header_id|>", "hi"),
        ("hi <|assistant|>", "hi"),
        ("hi<eos>", "hi"),
        ("hi <|im_start|>human\n", "hi\n"),
        ("hi<|END_OF_TURN_TOKEN|><|USER_TOKEN|>", "hi"),
        ("hi</s>USER: so", "hiUSER: so"),
    ],
)
def test_tokens_go(text: str, expected: str) -> None:
    edits = drop_turn_tokens(ParsedText(text, Settings()))
    traced = TracedText.from_spans(text, ((0, len(text)),))

    assert traced.replace("rule", edits).text == expected


def find(*texts: str, line_start: bool = True, from_start: bool = False) -> tuple[str, str] | None:
    """Return what is before the next turn in the last of some texts, and its role."""
    turns = NextTurn()
    found = None
    for text in texts:
        parsed = ParsedText(text, Settings())
        found = turns.find(parsed, line_start=line_start, from_start=from_start)
        from_start = True
    return (texts[-1][: found[0]], found[1]) if found else None


@pytest.mark.parametrize(
    ("turn", "role"),
    [
        ("<|im_end|>\n<|im_start|>user\nwhat", "User"),
        ("<|im_end|><|im_start|>system\nwhat", "System"),
        ("<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nthanks", "User"),
        ("<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\n{}", "Ipython"),
        ("<end_of_turn>\n<start_of_turn>user\nwhat", "User"),
        ("</s><s>[INST] next [/INST]", "User"),
        (" </s> <s> <<SYS>>\nbe", "System"),
        ("<|end|><|user|>\nwhat", "User"),
        ("<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>what", "User"),
        ("<｜end▁of▁sentence｜><｜User｜>what", "User"),
        ("<|end|><|start|>developer<|message|>what", "Developer"),
        ("</s>\n\n### Instruction:\nwhat", "Instruction"),
        ("</s>\n\n### Input:\nwhat", "Input"),
        ("<|endoftext|>### Human: what", "Human"),
        ("</s>USER: what ASSISTANT: so", "User"),
        ("<eos>\nHuman: what", "Human"),
    ],
)
def test_a_token_and_the_header_of_another_role_begin_its_turn(turn: str, role: str) -> None:
    found = find(f"Hello.{turn}")

    assert found is not None
    assert (found[0].rstrip(), found[1]) == ("Hello.", role)


@pytest.mark.parametrize(
    "header",
    [
        "<|im_start|>user\n", "<start_of_turn>user\n", "<|user|>", "[INST]", "<s>[INST]", "<<SYS>>",
        "<|start_header_id|>user<|end_header_id|>", "### Instruction:\nwhat", "###Instruction:",
    ],
)  # fmt: skip
def test_a_header_on_a_line_of_its_own_needs_no_token(header: str) -> None:
    assert find(f"Hello.\n{header}") == ("Hello.\n", find(f"a\n{header}")[1])  # type: ignore[index]


@pytest.mark.parametrize(
    "text",
    [
        "Hello.<|im_end|>\n<|im_start|>assistant\nMore.",
        "Hello.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nMore.",
        "Hello.<|end|><|assistant|>More.",
        "Hello. [/INST] More.",
        "Hello.</s>More.",
        "Write <|im_start|>user and [INST] to begin.",
        "Write\n`<|im_start|>user` or `</s>USER: x`.",
        "Write\n`[INST]`",
        "Hello.<|im_end|>\n<|im_start|>username",
        "Hello.<|im_end|>\nUser guide: more.",
        "Hello.</s>\nuser: more",
        "Hello.</s>\nUser::find()",
        "now <s>10 €</s> User: x",
        "now <s>10 €</s> ### Input: x",
        "Case:\n### Input:\n3",
        "Case:\n### User:\n- id",
        "Case:\n### Instruction: mix",
        "### Tools:\n- a spoon\n\n### Instruction:\nmix",
        "**Hello.<|im_end|>\n<|im_start|>user\nx**",
    ],
)
def test_other_text_begins_no_turn(text: str) -> None:
    assert find(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "<|im_start|>user\nHello",
        "</s><s>[INST] Hello",
        " \n<|im_end|>\n<|im_start|>user\nx",
        "</s>USER: Hello",
    ],
)
def test_turn_begins_only_after_other_text(text: str) -> None:
    assert find(text) is None
    assert find(text, from_start=True) is not None


def test_a_token_counts_until_other_text_follows() -> None:
    assert find("Hello.</s>\n", "  \n", "### Input:\n") == ("", "Input")
    assert find("Hello.</s>\n", "More.\n", "### Input:\n") is None
    assert find("<s>Hello</s> <s>you</s>\n", "### Input:\n") is None


def test_a_header_in_the_middle_of_a_line_that_was_cut_is_text() -> None:
    assert find("The sign", "[INST] begins", line_start=False) is None


def test_heading_after_other_headings_is_no_header() -> None:
    assert find("## Cake\n", "### Instruction:\n") is None

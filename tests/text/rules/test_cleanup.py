"""What no one was meant to read goes, words about it stay."""

from __future__ import annotations

import re

import pytest

from streamcord import Message, Pipeline, Settings
from streamcord._common.known_secrets import SecretFilter
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.cleanup import (
    BLANK,
    DOT,
    HIDDEN,
    blanks_to_spaces,
    drop_dots,
    drop_system_messages,
    hide_known,
    hide_secrets,
    join_blank_lines,
    remove,
)
from streamcord._text.traced_text import Edit, TracedText


def change(text: str, edits: list[Edit]) -> str:
    return TracedText.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


TOKEN = "MTAwMDAwMDAwMDAwMDAwMDAx.GhIjKl." + "aB3-_x" * 6 + "yz"
WEBHOOK = "wH9-_k" * 11 + "zz"


def hidden(text: str) -> str:
    return hide_secrets(TracedText.from_spans(text, ((0, len(text)),))).text


@pytest.mark.parametrize("frame", ["{}", "It is {}, keep it.", "`{}`", "```\nTOKEN={}\n```", "({})"])
def test_the_token_of_a_bot_is_not_shown(frame: str) -> None:
    assert hidden(frame.format(TOKEN)) == frame.format(HIDDEN)


def test_the_token_of_a_webhook_is_not_shown() -> None:
    address = "https://discord.com/api/webhooks/123456789012345678/"

    assert hidden(f"{address}{WEBHOOK} and {TOKEN}") == f"{address}{HIDDEN} and {HIDDEN}"


@pytest.mark.parametrize(
    "text",
    [
        "a.b.c",
        "www.example.com/some.very.long/path",
        "1.2.3-beta",
        "import os.path.join as join",
        "https://discord.com/api/webhooks/123/short",
        "com.example.application.MainActivityWithAVeryLongNameIndeed",
        "x" * 1000,
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert hidden(text) == text


def test_it_is_recorded_like_every_change() -> None:
    pipeline = Pipeline(Settings())
    events = [*pipeline.feed(f"Sure: {TOKEN}\n"), *pipeline.flush()]
    (message,) = [event for event in events if isinstance(event, Message)]

    assert message.content == f"Sure: {HIDDEN}"
    assert [(edit.rule, edit.before) for edit in message.edits] == [("secret", "*" * len(TOKEN))]


def test_the_token_of_a_webhook_alone_wakes_the_rule() -> None:
    address = "https://discord.com/api/webhooks/123456789012345678/"
    pipeline = Pipeline(Settings())
    events = [*pipeline.feed(f"Post to {address}{WEBHOOK} now"), *pipeline.flush()]
    assert [event.content for event in events if isinstance(event, Message)] == [
        f"Post to {address}[removed] now"
    ]


def test_blanks_become_spaces_outside_code() -> None:
    text = f"a{BLANK}{BLANK}b `c{BLANK}d`"
    assert change(text, blanks_to_spaces(ParsedText(text, Settings()))) == f"a  b `c{BLANK}d`"


def test_middle_dots_go_outside_code_urls_and_tags() -> None:
    text = f"n{DOT}o `x{DOT}y` https://a.b/{DOT}c <i class={DOT}>"
    assert (
        change(text, drop_dots(ParsedText(text, Settings())))
        == f"no `x{DOT}y` https://a.b/{DOT}c <i class={DOT}>"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[system: x] hi", "hi"),
        ("hi [System: x]", "hi"),
        ("a\n[SYSTEM: x]\nb", "a\n\nb"),
        ("The [system: x] file", "The [system: x] file"),
        ("[system: x", "[system: x"),
        ("[system: x](https://a.b)", "[system: x](https://a.b)"),
        ("`[system: x]`", "`[system: x]`"),
        ("[systems: x]", "[systems: x]"),
    ],
)
def test_notes_beside_a_line_go(text: str, expected: str) -> None:
    assert change(text, drop_system_messages(ParsedText(text, Settings()))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\n\nb", "a\n\nb"),
        ("a\n \n\t\n\n  b", "a\n\n  b"),
        ("`a`\n\n\nb", "`a`\n\nb"),
        ("a\n\nb\nc", "a\n\nb\nc"),
        ("a\n\n\n\n", "a\n\n\n\n"),
        ("```\na\n\n\n\nb\n```", "```\na\n\n\n\nb\n```"),
    ],
)
def test_blank_lines_are_joined_outside_code(text: str, expected: str) -> None:
    assert change(text, join_blank_lines(ParsedText(text, Settings()))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a X b", "a b"),
        ("X b", "b"),
        ("a X", "a"),
        ("a X, b", "a, b"),
        ("a X\nb", "a\nb"),
        ("a (X) b", "a () b"),
        ("aXb", "ab"),
        ("a X X b", "a b"),
        ("X X b", "b"),
        ("XX", ""),
        ("  X b", "  b"),
        ("a\n  X b", "a\n  b"),
        ("a\nX\nb", "a\n\nb"),
        ("a  b X  c", "a  b  c"),
    ],
)
def test_spaces_beside_a_removed_word_are_tidied(text: str, expected: str) -> None:
    edits = remove(text, [found.span() for found in re.finditer("X", text)])
    assert TracedText.from_spans(text, ((0, len(text)),)).replace("rule", edits).text == expected


def test_known_secrets_go_once_all_rules_have_run() -> None:
    known = SecretFilter(["zq8Kd0-mysecretkey_77LxP"])
    traced = TracedText.from_spans("It is zq8Kd0-m!", ((0, 15),))

    assert hide_known(traced, known).text == "It is [removed]!"
    assert hide_known(traced, SecretFilter(())) is traced

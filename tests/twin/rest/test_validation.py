from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamcord._twin.rest import validation as rules
from streamcord._twin.rest.refusals import Refusal
from streamcord._twin.switches import Switches

PLAIN = Switches()


@given(st.text(st.characters(), max_size=2000))
@settings(max_examples=300)
def test_any_text_within_the_limit_is_read(text: str) -> None:
    read = rules.clean_content(text, PLAIN)

    assert read == read.strip()
    assert read.encode().decode() == read


@pytest.mark.parametrize(("value", "read"), [(None, ""), (5, "5"), (" a ", "a"), ("\u3000a\u2003", "a")])
def test_content_is_text(value: object, read: str) -> None:
    assert rules.clean_content(value, PLAIN) == read


@pytest.mark.parametrize("nonce", [None, 7, "x" * 25])
def test_such_a_nonce_is_good(nonce: object) -> None:
    assert rules.read_nonce(nonce) == nonce


@pytest.mark.parametrize("nonce", ["x" * 26, 1.5, ["x"]])
def test_such_a_nonce_is_refused(nonce: object) -> None:
    with pytest.raises(Refusal):
        rules.read_nonce(nonce)


def test_the_texts_of_an_embed_are_trimmed() -> None:
    embed = {"title": " a ", "footer": {"text": " b "}, "fields": [{"name": " c ", "value": "  "}]}

    (clean,) = rules.clean_embeds([embed])

    assert (clean["title"], clean["footer"]["text"], clean["type"]) == ("a", "b", "rich")
    assert clean["fields"] == [{"name": "c", "value": "", "inline": False}]
    assert embed["title"] == " a "


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Luna", "Luna"),
        ("  Luna \n  Moon ", "Luna Moon"),
        ("Lu\u200bna", "Luna"),
        ("\u202eLuna", "Luna"),
        ("猫猫", "猫猫"),
    ],
)
def test_a_name_is_shown_without_what_cannot_be_seen(name: str, shown: str) -> None:
    assert rules.read_webhook_name(name, PLAIN) == shown


@pytest.mark.parametrize(
    "name", ["", "\u200b", "x" * 81, "Clyde", "DISCORD", "everyone", "HERE", "a```b", "L"]
)
def test_such_a_name_is_refused(name: str) -> None:
    with pytest.raises(Refusal) as refused:
        rules.read_webhook_name(name, PLAIN, "username")

    assert list(refused.value.errors or {}) == ["username"]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("a\\b.png", "b.png"),
        ("a b  c.png", "a_b_c.png"),
        (".hidden", "hidden"),
        ("", "unknown"),
        ("SPOILER_x.png", "SPOILER_x.png"),
    ],
)
def test_a_file_name_has_no_folders_and_no_spaces(name: str, safe: str) -> None:
    assert rules.safe_filename(name) == safe

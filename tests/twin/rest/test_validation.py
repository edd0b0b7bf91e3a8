from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamcord._twin.rest import validation as rules
from streamcord._twin.rest.refusals import Refusal
from streamcord._twin.state.model import MessageFlag
from streamcord._twin.switches import Switches

PLAIN = Switches()


@given(st.text(st.characters(), max_size=2000))
@settings(max_examples=300)
def test_any_text_within_the_limit_is_read(text: str) -> None:
    read = rules.read_content(text, PLAIN)

    assert read == read.strip()
    assert read.encode().decode() == read


@pytest.mark.parametrize(("value", "read"), [(None, ""), (5, "5"), (" a ", "a"), ("\u3000a\u2003", "a")])
def test_content_is_text(value: object, read: str) -> None:
    assert rules.read_content(value, PLAIN) == read


def test_a_family_is_seven_code_points() -> None:
    family = "👨‍👩‍👧‍👦"

    assert rules.measure(family, PLAIN) == 7
    assert rules.measure(family, Switches(count="utf16")) == 11


@pytest.mark.parametrize("nonce", [None, 7, "x" * 25])
def test_such_a_nonce_is_good(nonce: object) -> None:
    assert rules.read_nonce(nonce) == nonce


@pytest.mark.parametrize("nonce", ["x" * 26, 1.5, ["x"]])
def test_such_a_nonce_is_refused(nonce: object) -> None:
    with pytest.raises(Refusal):
        rules.read_nonce(nonce)


@pytest.mark.parametrize(
    ("embeds", "path"),
    [
        ([{"author": {"name": "x" * 257}}], ["0", "author", "name"]),
        ([{"footer": {"text": "x" * 2049}}], ["0", "footer", "text"]),
        ([{"fields": [{"name": " ", "value": "v"}]}], ["0", "fields", "0", "name"]),
        ({"title": "not a list"}, []),
    ],
)
def test_a_wrong_embed_names_the_place(embeds: object, path: list[str]) -> None:
    with pytest.raises(Refusal) as refused:
        rules.read_embeds(embeds, PLAIN)
    found = (refused.value.errors or {})["embeds"]
    for step in path:
        found = found[step]

    assert found["_errors"][0]["message"]


def test_components_v2_may_nest() -> None:
    flags = MessageFlag.IS_COMPONENTS_V2
    text = {"type": 10, "content": "x" * 100}
    section = {"type": 9, "components": [text], "accessory": {"type": 2, "custom_id": "b"}}
    container = {"type": 17, "components": [section] * 10}

    rules.check_components([container], flags, {})
    assert rules.component_texts([container]) == ["x" * 100] * 10
    with pytest.raises(Refusal):
        rules.check_components([container, container], flags, {})
    rules.check_components([container, container], MessageFlag(0), {"content": "x"})


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

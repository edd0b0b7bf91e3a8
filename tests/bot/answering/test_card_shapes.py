"""Ten shapes of public cards, in SillyTavern's fields: in, used, and out again unchanged."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from streamcord_bot.personas.card_export import Version, export_json, export_png
from streamcord_bot.personas.character_cards import read_card
from streamcord_bot.personas.pictures import plain_png, read_texts, write_texts
from streamcord_bot.prompt.lorebook import author_note_of, find_lore, greetings_of, read_book

BASE: dict[str, Any] = {
    "name": "Orla",
    "description": "{{char}} keeps a lighthouse and counts ships.",
    "personality": "dry, patient",
    "scenario": "{{user}} came with the evening boat.",
    "first_mes": "*She lifts the lamp.* You are late, {{user}}.",
    "mes_example": "<START>\n{{user}}: Is it cold?\n{{char}}: It is the sea.",
}
ENTRY: dict[str, Any] = {
    "keys": ["lamp", "light"],
    "secondary_keys": [],
    "comment": "the lamp",
    "content": "The lamp burns whale oil.",
    "constant": False,
    "selective": True,
    "insertion_order": 100,
    "enabled": True,
    "position": "before_char",
    "case_sensitive": None,
    "name": "lamp",
    "priority": 10,
    "id": 1,
    "extensions": {
        "position": 0,
        "exclude_recursion": False,
        "display_index": 1,
        "probability": 100,
        "useProbability": True,
        "depth": 4,
        "selectiveLogic": 0,
        "group": "",
        "match_whole_words": None,
        "role": 0,
        "vectorized": False,
    },
}
BOOK = {
    "name": "Coast",
    "description": "",
    "scan_depth": 3,
    "token_budget": 400,
    "extensions": {},
    "entries": [ENTRY],
}
MORE: dict[str, Any] = {
    "creator_notes": "Best at night.",
    "system_prompt": "Write as {{char}}. {{original}}",
    "post_history_instructions": "Stay on the island. {{original}}",
    "alternate_greetings": ["The boat is gone, {{user}}.", "Sit."],
    "tags": ["sea", "calm"],
    "creator": "a keeper",
    "character_version": "2.1",
    "extensions": {},
}


def v2(**fields: Any) -> dict[str, Any]:
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": {**BASE, **MORE, **fields}}


def v3(**fields: Any) -> dict[str, Any]:
    return {
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {**BASE, **MORE, "group_only_greetings": [], **fields},
    }


SHAPES: dict[str, dict[str, Any]] = {
    "version 1, flat": {**BASE},
    "version 1 with SillyTavern's own fields": {
        **BASE,
        "avatar": "none",
        "chat": "Orla - 1",
        "talkativeness": "0.5",
    },
    "version 2, bare": {"spec": "chara_card_v2", "spec_version": "2.0", "data": {**BASE}},
    "version 2, all texts": v2(),
    "version 2 with flat copies beside": {**BASE, **v2(), "fav": False, "create_date": "2026-1-1 @10h"},
    "a lore book": v2(character_book=BOOK),
    "an author's note": v2(
        extensions={"talkativeness": "0.5", "depth_prompt": {"prompt": "{{char}} is tired.", "depth": 4}}
    ),
    "another program's extensions": v2(
        extensions={"chub": {"id": 7, "preset": None}, "regex_scripts": [{"findRegex": "/x/g"}]}
    ),
    "version 3 with a nickname and sources": v3(
        nickname="Keeper",
        source=["https://example.com/orla"],
        creation_date=1700000000,
        modification_date=1700000001,
        creator_notes_multilingual={"de": "Am besten nachts."},
    ),
    "version 3 with lore and decorators": v3(
        character_book={**BOOK, "entries": [{**ENTRY, "content": "@@depth 2\nThe lamp burns whale oil."}]}
    ),
}


def fields_of(card: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = card.get("data", card)
    return found


def holds(out: object, wanted: object) -> bool:
    """Whether everything that was there is there again, with the same values."""
    if isinstance(wanted, dict):
        return isinstance(out, dict) and all(holds(out.get(key), value) for key, value in wanted.items())
    return out == wanted


@pytest.mark.parametrize("shape", SHAPES)
def test_a_card_comes_out_as_it_went_in(shape: str) -> None:
    card = SHAPES[shape]
    read = read_card(json.dumps(card).encode())
    version: Version = "v3" if card.get("spec") == "chara_card_v3" else "v2"
    out = json.loads(export_json(read.stored, {}, version))
    again = read_card(json.dumps(out).encode())

    assert holds(out["data"], fields_of(card))
    if "data" in card:
        assert holds(out, {key: value for key, value in card.items() if key != "data"})
    assert again.stored == read.stored or holds(json.loads(again.stored.card), json.loads(read.stored.card))
    assert json.loads(export_json(again.stored, {}, version)) == out


@pytest.mark.parametrize("shape", SHAPES)
def test_a_card_in_a_picture_is_the_same_card(shape: str) -> None:
    card = SHAPES[shape]
    picture = write_texts(plain_png(8, (9, 9, 9)), {"chara": base64.b64encode(json.dumps(card).encode())})
    read = read_card(picture)
    texts = read_texts(export_png(read.stored, read.picture, {}))

    for keyword in ("chara", "ccv3"):
        assert holds(json.loads(base64.b64decode(texts[keyword]))["data"], fields_of(card))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_card_is_used_as_its_author_meant_it(shape: str) -> None:
    fields = fields_of(SHAPES[shape])
    stored = read_card(json.dumps(SHAPES[shape]).encode()).stored
    parsed = json.loads(stored.card)
    name = fields.get("nickname") or "Orla"
    lore = find_lore(read_book(parsed), ["Who lights the lamp?"])
    note = author_note_of(parsed)

    assert stored.prompt.find(f"{name} keeps a lighthouse") >= 0
    assert f"{name}: It is the sea." in stored.prompt
    # The person who asks is known only when a text is used.
    texts = "".join([stored.prompt, stored.greeting, note, *lore])
    assert "{{" not in texts.replace("{{user}}", "")
    assert stored.greeting == "*She lifts the lamp.* You are late, {{user}}."
    assert len(greetings_of(parsed, stored.greeting)) == 1 + len(fields.get("alternate_greetings", []))
    assert not any("@@" in text for text in lore)
    assert bool(lore) is ("character_book" in fields)
    assert ("Stay on the island." in note) is ("post_history_instructions" in fields)
    assert (f"{name} is tired." in note) is ("depth_prompt" in fields.get("extensions", {}))

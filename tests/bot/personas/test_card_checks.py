from __future__ import annotations

import json
from pathlib import Path

from streamcord_bot.config import read_config
from streamcord_bot.ops.check_result import CheckResult
from streamcord_bot.personas.card_checks import check_cards

CARD = {
    "spec": "chara_card_v2",
    "data": {
        "name": "Captain Isolde",
        "description": "Sea. " * 8000,
        "character_book": {
            "entries": [
                {"keys": ["rum"], "content": "Rum is dear.", "enabled": True},
                {"keys": ["/(?=x)/"], "content": "Never.", "enabled": True, "use_regex": True},
            ]
        },
    },
}


def found(folder: Path, **persona: str) -> list[CheckResult]:
    config = read_config({"personas": {"isolde": persona}}, file=str(folder / "streamcord.toml"))
    return check_cards(config)


def test_what_of_a_card_is_not_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "isolde.json").write_text(json.dumps(CARD), encoding="utf-8")
    (result,) = found(tmp_path, card="isolde.json")

    assert result.ok
    assert result.words == (
        "isolde.json is Captain Isolde, sprites 0, entries of lore 1, "
        "not used because of their regular expression 1, prompt cut at 32,000 of 40,000 characters"
    )
    assert result.advice == 'It speaks as isolde: name = "Captain Isolde" takes the name of the card.'


def test_card_with_the_name_of_its_persona_needs_no_advice(tmp_path: Path) -> None:
    (tmp_path / "isolde.json").write_text(json.dumps(CARD), encoding="utf-8")
    (result,) = found(tmp_path, card="isolde.json", name="Captain Isolde", prompt="Short.")

    assert (result.ok, result.advice) == (True, "")
    assert "cut" not in result.words


def test_card_that_is_missing_or_damaged_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("nothing", encoding="utf-8")
    missing, damaged = (found(tmp_path, card=name)[0] for name in ("isolde.png", "bad.json"))

    assert (missing.ok, missing.words) == (False, "isolde.png of isolde: No such file or directory")
    assert (damaged.ok, damaged.words) == (
        False,
        "bad.json of isolde: The card cannot be read: it is no JSON, or damaged",
    )
    assert str(tmp_path) in damaged.advice


def test_persona_without_a_card_has_no_line(tmp_path: Path) -> None:
    assert found(tmp_path, prompt="You are Isolde.") == []

"""What commands say: complete in English, and never with other blanks in another language."""

from __future__ import annotations

import string
from importlib.resources import files
from pathlib import Path

import pytest

from streamcord._bot.commands.command_texts import PHRASES, phrase


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("locale", [locale for locale in PHRASES if locale != "en"])
def test_a_language_has_no_phrase_or_blank_that_english_lacks(locale: str) -> None:
    for key, text in PHRASES[locale].items():
        assert blanks(text) == blanks(PHRASES["en"][key]), key


def test_a_language_that_lacks_a_phrase_says_it_in_english() -> None:
    assert phrase("de-AT", "no_name").startswith("In diesem Namen")
    assert phrase("de", "refused", reason="x") == "x."
    assert phrase("zz", "no_name") == phrase("en-GB", "no_name") == PHRASES["en"]["no_name"]


def test_every_phrase_is_said_somewhere() -> None:
    folder = Path(str(files("streamcord._bot"))) / "commands"
    code = "".join(path.read_text() for path in folder.glob("*.py") if path.name != "words.py")
    made = {
        f"{verb}_{where}"
        for verb in ("switched", "unswitched", "cleared", "in")
        for where in ("channel", "server")
    }

    assert [
        key for key in PHRASES["en"] if f'"{key}"' not in code and f"'{key}'" not in code and key not in made
    ] == []


def test_no_phrase_is_longer_than_a_message() -> None:
    assert max(len(text) for lines in PHRASES.values() for text in lines.values()) < 400

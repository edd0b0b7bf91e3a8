"""Errors about files and addresses of people are in their language."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import streamcord_bot
from bot.commands.using import with_commands
from streamcord_bot.i18n import LOCALES, read_error_texts, translate_error

SOURCE = Path(streamcord_bot.__file__).parent
RAISED = {"ArchiveError", "CardError", "FetchError", "PictureError"}
# They quote a library, or the name of an error.
QUOTING = {
    "The picture cannot be used: #. Save it again.",
    "It cannot be drawn (#).",
    "It is larger than # KB, and without streamcord[tables] it stays so.",
}


def as_key(text: ast.expr, constants: dict[str, ast.expr]) -> str:
    """The English text with `#` for its numbers; empty for what is no text."""
    if isinstance(text, ast.Name):
        text = constants.get(text.id, text)
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        return re.sub(r"\d+", "#", text.value)
    if isinstance(text, ast.JoinedStr):
        return "".join(
            re.sub(r"\d+", "#", str(one.value)) if isinstance(one, ast.Constant) else "#"
            for one in text.values
        )
    return ""


def texts_of(path: Path) -> set[str]:
    """The texts of all errors that a module raises."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        one.targets[0].id: one.value
        for one in tree.body
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
    }
    calls = [
        one.exc for one in ast.walk(tree) if isinstance(one, ast.Raise) and isinstance(one.exc, ast.Call)
    ]
    named = [one for one in calls if isinstance(one.func, ast.Name) and one.func.id in {*RAISED, "refusal"}]
    return {as_key(one.args[0], constants) for one in named} - {""}


@pytest.mark.parametrize("language", LOCALES[1:])
def test_every_error_about_a_file_has_a_text(language: str) -> None:
    modules = [*SOURCE.glob("personas/*.py"), SOURCE / "sandbox" / "client.py"]
    raised = {text for module in modules for text in texts_of(module)} - QUOTING
    texts = read_error_texts(language)

    assert len(raised) > 25
    assert raised <= set(texts)
    assert all(english.count("#") == text.count("#") for english, text in texts.items())


def test_numbers_stay() -> None:
    text = "The picture is 9000 × 20 pixels: at most 4096 × 4096 are taken."

    assert translate_error("de", text) == "Das Bild hat 9000 × 20 Pixel: höchstens 4096 × 4096 sind möglich."
    assert translate_error("en-US", text) == text
    assert translate_error("de", "Something else, 5.") == "Something else, 5."


async def test_a_command_tells_errors_in_the_language_of_its_user() -> None:
    async with with_commands() as commands:
        commands.stage.twin.user.locale = "ja"
        card = await commands.says("persona import", file=("x.json", b"nothing"))
        entry = await commands.says("lore remove", persona="Luna", number=9)

    assert card == "カードを読めません。JSON ではないか、壊れています。"
    assert entry == "項目 9 はありません。ペルソナの項目数: 0。"


async def test_names_in_bold_headings_and_in_code_have_no_marks_of_their_own() -> None:
    async with with_commands() as commands:
        await commands.use("lore add", persona="Luna", keys="/moo{1,2}n/i, sun", text="It is cheese.")
        listed = await commands.says("lore list", persona="Luna")
        tools = await commands.says("tools")
        unknown = await commands.says("persona set", name="Luna", setting="nonsense", value="1")
        refused = await commands.says("lore add", persona="Luna", keys="/a(?=b)/", text="Never read.")

    # A comma inside a regular expression separates no keys.
    assert listed.splitlines() == ["**What Luna knows**", "1. /moo{1,2}n/i, sun: It is cheese."]
    assert tools.startswith("**Tools that Luna may use here**\n")
    assert unknown.startswith("There is no setting `nonsense`.")
    assert refused == "One of the keys is a regular expression that cannot be used."

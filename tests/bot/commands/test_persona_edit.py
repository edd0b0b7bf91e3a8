"""Changing a persona: which names can be, and forms that cut nothing off."""

from __future__ import annotations

import pytest

from bot.commands.using import with_commands
from streamcord import Persona
from streamcord._bot.commands.command_base import CommandRefused
from streamcord._bot.commands.persona_edit import Changes, check_name
from streamcord.store import StoredPersona


@pytest.mark.parametrize(("name", "kept"), [(" Luna ", "Luna"), ("Lu\nna", "Lu na"), ("x" * 80, "x" * 80)])
def test_a_name_is_made_plain(name: str, kept: str) -> None:
    assert check_name(name) == kept


@pytest.mark.parametrize(("name", "key"), [("", "no_name"), ("\u200b", "no_name"), ("x" * 81, "name_length")])
def test_a_name_that_cannot_be_kept_is_refused(name: str, key: str) -> None:
    with pytest.raises(CommandRefused) as caught:
        check_name(name)
    assert caught.value.key == key


def test_nothing_named_is_nothing_to_change() -> None:
    assert Changes().is_empty
    assert not Changes(prompt="").is_empty
    assert not Changes(own_face=False).is_empty


async def test_a_prompt_too_long_for_a_form_is_not_in_it_and_stays() -> None:
    long = "x" * 4001
    async with with_commands() as commands:
        twin = commands.stage.twin
        await commands.store.save_persona(StoredPersona(Persona("Ren"), commands.guild, long))
        used = twin.slash("persona edit", name="Ren")
        callback = await twin.until(lambda: used.callback)
        labels = [row["components"][0]["label"] for row in callback["data"]["components"]]
        sent = twin.submit(used, {"name": "Ren", "aliases": "", "greeting": "Yo."})
        await twin.until(lambda: sent.original if sent.original and sent.original.content else None)
        found = await commands.store.find_persona(commands.guild, "Ren")

    assert labels == ["name", "aliases", "greeting"]
    assert found is not None
    assert (found.prompt, found.greeting) == (long, "Yo.")


async def test_a_form_that_cannot_be_kept_says_why() -> None:
    async with with_commands() as commands:
        twin = commands.stage.twin
        await commands.says("persona create", name="Ren")
        used = twin.slash("persona edit", name="Ren")
        await twin.until(lambda: used.callback)
        sent = twin.submit(used, {"name": "Luna", "aliases": "", "prompt": "", "greeting": ""})
        answer = await twin.until(lambda: sent.original if sent.original and sent.original.content else None)

    assert answer.content == "There is a persona **Luna** already. `/persona edit` changes it."

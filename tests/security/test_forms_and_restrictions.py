"""Forms that are never submitted are forgotten, and an age restriction of the file survives renaming."""

from __future__ import annotations

from typing import Any

import pytest

from bot.commands.using import with_commands
from bot.models import Model
from bot.stage import make_config, on_stage
from streamcord import Persona
from streamcord.store import StoredPersona


@pytest.mark.parametrize("form", ["Ask about this", "persona edit"])
async def test_a_form_that_is_not_submitted_is_forgotten(form: str) -> None:
    async with on_stage(Model(["Hello."])) as stage:
        twin = stage.twin
        if form == "persona edit":
            opened = twin.slash(form, name="Luna")
        else:
            opened = twin.menu(form, twin.say(twin.channel, twin.user, "a long text"))
        await twin.until(lambda: opened.callback)
        await stage.settled()
        views: Any = stage.bot._connection._view_store
        (modal,) = views._modals.values()
        assert modal.timeout == 900
        # What the timer of discord.py calls when the timeout is over.
        modal._dispatch_timeout()

        assert views._modals == {}


@pytest.mark.parametrize("has_copy", [True, False])
async def test_renaming_an_age_restricted_persona_keeps_its_restriction(*, has_copy: bool) -> None:
    model = Model(["Blood."])
    config = make_config(personas={"Luna": {}, "Vamp": {"nsfw": True, "prompt": "You are Vamp."}})
    async with with_commands(model, config=config) as play:
        if has_copy:
            # A copy that says nothing about age, as earlier versions made them.
            await play.store.save_persona(StoredPersona(Persona("Vamp"), play.guild, "You are Vamp."))
        await play.use("persona edit", name="Vamp", new_name="Vampy")
        await play.use("persona switch", name="Vampy")
        await play.store.choose_persona(play.place, "Vampy")
        play.stage.app.channel_configs.forget()
        play.stage.ask("hello")
        await play.stage.settled()
        await play.stage.quiet()
        renamed = await play.store.find_persona(play.guild, "Vampy")

    assert renamed is not None
    assert renamed.adult
    assert model.prompts == []

from __future__ import annotations

from typing import Any

from bot.commands.answers import answer_to
from bot.stage import make_config, on_stage
from streamcord.testing import ScriptedProvider

MODELS: dict[str, Any] = {
    "small": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"},
    "large": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"},
}


async def test_model_shows_and_changes_who_answers_for_those_who_may() -> None:
    models = {"small": ScriptedProvider(["small talk"]), "large": ScriptedProvider(["large talk"])}
    async with on_stage(models, config=make_config(models=MODELS)) as stage:
        twin = stage.twin
        assert "**small**" in (await answer_to(twin, twin.slash("model"))).content
        bob = twin.add_user("bob")
        refused = twin.slash("model", twin.channel, bob, name="large")
        assert "permission" in (await answer_to(twin, refused)).content
        unknown = await answer_to(twin, twin.slash("model", name="hu`ge"))
        assert "There is no model" in unknown.content
        assert "**large**" in (await answer_to(twin, twin.slash("model", name="large"))).content
        stage.ask("hi")
        await twin.until(lambda: "large talk" in twin.channel.texts)


async def test_in_the_whole_server_and_where_there_is_only_one_model() -> None:
    models = {"small": ScriptedProvider(["small talk"]), "large": ScriptedProvider(["large talk"])}
    async with on_stage(models, config=make_config(models=MODELS)) as stage:
        twin = stage.twin
        elsewhere = twin.add_channel("elsewhere")
        await answer_to(twin, twin.slash("model", name="large", everywhere=True))
        assert "**large**" in (await answer_to(twin, twin.slash("model", elsewhere))).content
    async with on_stage(ScriptedProvider()) as stage:
        assert "**-**" in (await answer_to(stage.twin, stage.twin.slash("model"))).content

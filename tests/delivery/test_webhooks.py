"""Personas through webhooks, on the twin."""

from __future__ import annotations

from delivery.stage import on_stage
from delivery.voices import LUNA, insist, shown, words
from streamcord.delivery.webhooks import Webhooks
from virtual import timeless


@timeless
async def test_a_persona_speaks_under_her_name_and_picture() -> None:
    async with on_stage() as stage:
        receipt = await insist(Webhooks(), stage.find(), words("Hello."))

        assert shown(stage) == [("Luna", "Hello.")]
        assert stage.sent[0].draft.avatar_url == LUNA.avatar
        assert receipt.id == stage.sent[0].id
        assert receipt.url.endswith(f"/{stage.twin.guild.id}/{stage.twin.channel.id}/{receipt.id}")

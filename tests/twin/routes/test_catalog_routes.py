from __future__ import annotations

import pytest

from streamcord.twin import Twin
from twin.api import Api


@pytest.mark.parametrize(
    "path",
    [
        "/soundboard-default-sounds",
        "/sticker-packs",
        "/voice/regions",
        "/guilds/{guild}/regions",
        "/guilds/{guild}/soundboard-sounds",
        "/guilds/{guild}/integrations",
        "/guilds/{guild}/scheduled-events",
        "/guilds/{guild}/auto-moderation/rules",
        "/applications/{bot}/entitlements",
        "/applications/{bot}/skus",
        "/applications/{bot}/role-connections/metadata",
    ],
)
async def test_what_clients_ask_for_while_they_start_is_there(twin: Twin, api: Api, path: str) -> None:
    answer = await api.get(path.format(guild=twin.guild.id, bot=twin.bot.id))

    assert answer.status == 200
    assert isinstance(answer.json, list | dict)


async def test_nobody_sees_what_others_sell(api: Api) -> None:
    assert (await api.get("/applications/1/entitlements")).outcome == (403, 50001)
    assert (await api.get("/guilds/1/integrations")).outcome == (404, 10004)

from __future__ import annotations

import base64

import pytest

from discord_twin import Twin
from discord_twin.cdn import plain_png
from twin.api import Api

PICTURE = plain_png(3)


def image(content: bytes = PICTURE) -> str:
    return "data:image/png;base64," + base64.b64encode(content).decode()


async def test_an_emoji_is_made_listed_served_and_removed(twin: Twin, api: Api) -> None:
    base = f"/applications/{twin.bot.id}/emojis"
    made = await api.post(base, {"name": "smile", "image": image()})
    listed = (await api.get(base)).json["items"]
    async with api.session.get(f"{twin.cdn_url}/emojis/{made.json['id']}.png") as response:
        served = await response.read()

    assert (made.status, made.json["name"], made.json["animated"]) == (201, "smile", False)
    assert listed == [made.json]
    assert served == PICTURE
    assert (await api.delete(f"{base}/{made.json['id']}")).status == 204
    assert (await api.get(base)).json["items"] == []
    assert (await api.delete(f"{base}/{made.json['id']}")).outcome == (404, 10014)


@pytest.mark.parametrize(
    "payload",
    [
        {"name": "x", "image": image()},
        {"name": "no spaces", "image": image()},
        {"name": "smile", "image": "smile.png"},
        {"name": "smile", "image": image(PICTURE + bytes(256 * 1024))},
    ],
)
async def test_what_is_no_emoji_is_refused(twin: Twin, api: Api, payload: dict[str, str]) -> None:
    assert (await api.post(f"/applications/{twin.bot.id}/emojis", payload)).outcome == (400, 50035)


async def test_a_name_is_taken_once(twin: Twin, api: Api) -> None:
    base = f"/applications/{twin.bot.id}/emojis"
    payload = {"name": "smile", "image": image()}

    assert (await api.post(base, payload)).status == 201
    assert (await api.post(base, payload)).outcome == (400, 50035)


async def test_emoji_of_another_application_are_closed(twin: Twin, api: Api) -> None:
    assert (await api.get("/applications/1/emojis")).outcome == (403, 50001)

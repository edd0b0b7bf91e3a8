from __future__ import annotations

import base64

from discord_twin import Twin
from discord_twin.cdn import plain_png
from discord_twin.images import image_kind, image_size
from twin.api import Answer, Api

# --- Cdn ---


async def fetch(api: Api, url: str) -> Answer:
    async with api.session.get(url) as response:
        return Answer(response.status, response.headers, await response.read())


async def test_a_file_is_served_where_its_message_says(twin: Twin, api: Api) -> None:
    made = await api.upload({"a.txt": b"content"})
    served = await fetch(api, made.json["attachments"][0]["url"])

    assert (served.status, served.body, served.headers["Content-Type"]) == (200, b"content", "text/plain")


async def test_a_file_is_gone_with_its_message(twin: Twin, api: Api) -> None:
    made = await api.upload({"a.txt": b"content"})
    url = made.json["attachments"][0]["url"]
    twin.delete(twin.channel.messages[int(made.json["id"])])

    assert (await fetch(api, url)).status == 404


async def test_an_avatar_that_was_uploaded_is_served(twin: Twin, api: Api) -> None:
    picture = plain_png(5)
    uri = "data:image/png;base64," + base64.b64encode(picture).decode()
    made = await api.post(f"/channels/{twin.channel.id}/webhooks", {"name": "luna", "avatar": uri})
    url = f"{twin.cdn_url}/avatars/{made.json['id']}/{made.json['avatar']}.png?size=64"

    assert (await fetch(api, url)).body == picture


async def test_other_avatars_are_plain_pictures(twin: Twin, api: Api) -> None:
    for path in ("embed/avatars/0.png", "avatars/1/abc.png"):
        served = await fetch(api, f"{twin.cdn_url}/{path}")
        assert served.body.startswith(b"\x89PNG")
        assert served.headers["Content-Type"] == "image/png"


async def test_everything_else_is_not_found(twin: Twin, api: Api) -> None:
    for path in ("", "icons/1/a.png", "attachments/1", "attachments/x/1/a", "attachments/1/2/a"):
        assert (await fetch(api, f"{twin.cdn_url}/{path}")).status == 404


# --- Image files ---


def test_a_plain_picture_is_a_png_of_the_size_that_was_asked_for() -> None:
    assert image_kind(plain_png(1)) == "png"
    assert image_size(plain_png(1, side=7)) == (7, 7)


def test_colours_differ_by_seed() -> None:
    assert plain_png(1) == plain_png(1) != plain_png(77)

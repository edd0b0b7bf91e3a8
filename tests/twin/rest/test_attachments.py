from __future__ import annotations

from typing import Any

import pytest

from streamcord.twin import Permission, Twin
from twin.api import Api

VOICE = {"id": "0", "duration_secs": 1.5, "waveform": "AAAA"}


async def test_a_voice_message_is_one_audio_file_and_nothing_else(twin: Twin, api: Api) -> None:
    made = (await api.upload({"v.ogg": b"OggS"}, flags=1 << 13, attachments=[VOICE])).json
    (file,) = made["attachments"]

    assert (file["duration_secs"], file["waveform"], file["content_type"]) == (1.5, "AAAA", "audio/ogg")
    assert (await api.edit(made["id"], content="x")).outcome == (400, 50162)


@pytest.mark.parametrize(
    ("files", "fields", "code"),
    [
        ({"v.ogg": b"x"}, {"content": "x", "attachments": [VOICE]}, 50159),
        ({"v.ogg": b"x", "w.ogg": b"x"}, {"attachments": [VOICE]}, 50160),
        ({"v.txt": b"x"}, {"attachments": [VOICE]}, 50160),
        ({"v.ogg": b"x"}, {"attachments": [{"id": "0"}]}, 50161),
    ],
)
async def test_a_wrong_voice_message(
    api: Api, files: dict[str, bytes], fields: dict[str, Any], code: int
) -> None:
    assert (await api.upload(files, flags=1 << 13, **fields)).outcome == (400, code)


async def test_voice_needs_its_right(twin: Twin, api: Api) -> None:
    twin.state.overwrite(twin.channel, twin.bot.user, deny=Permission.SEND_VOICE_MESSAGES)
    answer = await api.upload({"v.ogg": b"OggS"}, flags=1 << 13, attachments=[VOICE])

    assert answer.outcome == (403, 50173)


async def test_files_stay_or_go_as_the_edit_names_them(twin: Twin, api: Api) -> None:
    made = (await api.upload({"a.txt": b"a", "b.txt": b"b"}, content="x")).json
    kept = [{"id": made["attachments"][1]["id"]}]
    edited = (await api.edit(made["id"], attachments=kept)).json

    assert [one["filename"] for one in edited["attachments"]] == ["b.txt"]
    wrong = await api.edit(made["id"], attachments="all")
    assert wrong.errors["attachments"]["_errors"][0]["code"] == "LIST_TYPE_CONVERT"


async def test_eleven_files_are_too_many(api: Api) -> None:
    assert (await api.upload({f"{n}.txt": b"x" for n in range(11)})).outcome == (400, 30015)


async def test_a_picture_of_an_embed_has_the_address_of_its_file(twin: Twin, api: Api) -> None:
    embed = {"image": {"url": "attachment://a.png"}, "thumbnail": {"url": "https://a.b/c.png"}}
    (shown,) = (await api.upload({"a.png": b"x"}, embeds=[embed])).json["embeds"]

    assert shown["image"]["url"].startswith(twin.cdn_url)
    assert shown["thumbnail"]["url"] == "https://a.b/c.png"

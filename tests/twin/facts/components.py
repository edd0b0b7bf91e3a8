"""Facts about components: what may stand where, and how a plain message becomes V2 (§2.1)."""

from __future__ import annotations

from typing import Any

from twin.api import Answer, Api
from twin.facts.table import fact

V2 = 1 << 15
TEXT = {"type": 10, "content": "x"}
DOCS = "DD:components/reference.mdx"


def button(custom_id: str = "b", **more: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "l", "custom_id": custom_id, **more}


def row(*components: Any) -> dict[str, Any]:
    return {"type": 1, "components": list(components)}


def first_code(answer: Answer) -> str:
    """The first code of a 50035, wherever it stands."""
    place: Any = answer.errors
    while "_errors" not in place:
        place = next(iter(place.values()))
    return str(place["_errors"][0]["code"])


@fact("C-01", "a row holds five buttons", DOCS)
async def five_buttons(api: Api) -> None:
    five = [button(str(number)) for number in range(5)]
    assert (await api.send(components=[row(*five)])).status == 200
    assert first_code(await api.send(components=[row(*five, button("5"))])) == "BASE_TYPE_BAD_LENGTH"


@fact("C-02", "a button stands in a row, never alone", DOCS)
async def lone_button(api: Api) -> None:
    assert first_code(await api.send(components=[button()])) == "UNION_TYPE_CHOICES"


@fact("C-03", "a custom_id is there once, also of disabled buttons", "discord/discord-api-docs#3673")
async def one_custom_id(api: Api) -> None:
    twice = row(button("a"), button("a", disabled=True))
    answer = await api.send(components=[twice])
    assert answer.errors["components"]["0"]["components"]["1"]["custom_id"]["_errors"][0]["code"] == (
        "COMPONENT_CUSTOM_ID_DUPLICATED"
    )


@fact("C-04", "a button has a custom_id or a url, as its style says", DOCS)
async def button_needs(api: Api) -> None:
    bare = {"type": 2, "style": 1, "label": "l"}
    assert first_code(await api.send(components=[row(bare)])) == "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED"
    both = button(url="https://example.com")
    code = "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE"
    assert first_code(await api.send(components=[row(both)])) == code
    link = {"type": 2, "style": 5, "label": "l", "url": "https://example.com"}
    assert (await api.send(components=[row(link)])).status == 200


@fact("C-05", "a select has 1 to 25 options with different values, alone in its row", DOCS)
async def selects(api: Api) -> None:
    def select(count: int, **more: Any) -> dict[str, Any]:
        options = [{"label": "l", "value": str(number)} for number in range(count)]
        return {"type": 3, "custom_id": "s", "options": options, **more}

    assert (await api.send(components=[row(select(25, max_values=25))])).status == 200
    assert first_code(await api.send(components=[row(select(26))])) == "BASE_TYPE_BAD_LENGTH"
    assert first_code(await api.send(components=[row(select(1, max_values=2))])) == "NUMBER_TYPE_MAX"
    wide = await api.send(components=[row(select(1), button())])
    assert first_code(wide) == "COMPONENT_LAYOUT_WIDTH_EXCEEDED"
    same = {"type": 3, "custom_id": "s", "options": [{"label": "l", "value": "v"}] * 2}
    answer = await api.send(components=[row(same)])
    assert first_code(answer) == "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"


@fact("C-06", "without the flag there are only rows, five at most", DOCS)
async def classic_only(api: Api) -> None:
    assert first_code(await api.send(components=[TEXT])) == "UNION_TYPE_CHOICES"
    rows = [row(button(str(number))) for number in range(6)]
    assert (await api.send(components=rows[:5])).status == 200
    assert (await api.send(components=rows)).outcome == (400, 50035)


@fact("C-07", "a section has 1 to 3 texts and one accessory", DOCS)
async def sections(api: Api) -> None:
    thumbnail = {"type": 11, "media": {"url": "https://example.com/a.png"}}
    section = {"type": 9, "components": [TEXT] * 3, "accessory": thumbnail}
    assert (await api.send(None, components=[section], flags=V2)).status == 200
    for wrong in ({"components": [TEXT] * 4}, {"accessory": None}, {"accessory": TEXT}):
        assert (await api.send(None, components=[{**section, **wrong}], flags=V2)).outcome == (400, 50035)


@fact("C-08", "a container holds no container; a gallery 1 to 10 items", DOCS)
async def containers(api: Api) -> None:
    container = {"type": 17, "components": [TEXT], "accent_color": 0xFFFFFF}
    assert (await api.send(None, components=[container], flags=V2)).status == 200
    nested = {"type": 17, "components": [container]}
    assert first_code(await api.send(None, components=[nested], flags=V2)) == "UNION_TYPE_CHOICES"
    item = {"media": {"url": "https://example.com/a.png"}}
    gallery = {"type": 12, "items": [item] * 11}
    assert (await api.send(None, components=[gallery], flags=V2)).outcome == (400, 50035)


@fact("C-09", "a file component names a file of the same message", DOCS)
async def files(api: Api) -> None:
    file = {"type": 13, "file": {"url": "attachment://a.txt"}}
    assert (await api.upload({"a.txt": b"x"}, components=[file], flags=V2)).status == 200
    assert (await api.send(None, components=[file], flags=V2)).outcome == (400, 50035)
    outside = {"type": 13, "file": {"url": "https://example.com/a.txt"}}
    assert first_code(await api.send(None, components=[outside], flags=V2)) == "URL_TYPE_INVALID_SCHEME"


@fact("C-10", "ids are ours or numbered, each once; 0 is none", DOCS)
async def ids(api: Api) -> None:
    texts = [{**TEXT, "id": 7}, TEXT, {**TEXT, "id": 0}]
    made = (await api.send(None, components=texts, flags=V2)).json["components"]
    assert [one["id"] for one in made] == [7, 1, 2]
    assert (await api.send(None, components=[{**TEXT, "id": 7}] * 2, flags=V2)).outcome == (400, 50035)


@fact("C-11", "an edit makes a plain message V2 with content null and embeds [] beside the flag", DOCS)
async def upgrade(api: Api) -> None:
    made = (await api.send("plain", embeds=[{"title": "t"}])).json["id"]
    assert (await api.edit(made, components=[TEXT], flags=V2)).outcome == (400, 50035)
    assert (await api.edit(made, components=[TEXT], flags=V2, content=None)).outcome == (400, 50035)
    upgraded = await api.edit(made, components=[TEXT], flags=V2, content=None, embeds=[])
    assert (upgraded.status, upgraded.json["flags"], upgraded.json["content"]) == (200, V2, "")


@fact("C-12", "the flag cannot be taken away again", DOCS)
async def no_way_back(api: Api) -> None:
    made = (await api.send(None, components=[TEXT], flags=V2)).json["id"]
    assert (await api.edit(made, flags=0)).json["flags"] == V2
    assert (await api.edit(made, content="plain")).outcome == (400, 50035)


@fact("C-13", "an edit without flags keeps the reading of the message", "unsure", switch="edit_keeps_v2")
async def edit_without_flags(api: Api) -> None:
    made = (await api.send(None, components=[TEXT], flags=V2)).json["id"]
    assert (await api.edit(made, components=[{**TEXT, "content": "y"}])).status == 200
    api.twin.configure(edit_keeps_v2=False)
    assert first_code(await api.edit(made, components=[TEXT])) == "UNION_TYPE_CHOICES"
    assert (await api.edit(made, components=[TEXT], flags=V2)).status == 200


@fact("C-14", "nothing else stands beside V2: no poll, no sticker", DOCS)
async def alone(api: Api) -> None:
    poll = {"question": {"text": "q"}, "answers": [{"poll_media": {"text": "a"}}]}
    assert (await api.send(None, components=[TEXT], flags=V2, poll=poll)).outcome == (400, 50035)
    assert (await api.send(None, flags=V2)).outcome == (400, 50006)


@fact(
    "C-15",
    "all texts together have at most 10 170 bytes, 12 of them for each text: 500",
    "discord-api-docs#8554",
    switch="v2_text_bytes",
)
async def bytes_of_texts(api: Api) -> None:
    async def status(*texts: str) -> int:
        components = [{"type": 10, "content": text} for text in texts]
        return (await api.send(None, components=components, flags=V2)).status

    assert [await status("語" * 3386), await status("語" * 3386 + "x")] == [200, 500]
    assert [await status("語" * 3381, "xyz"), await status("語" * 3381, "wxyz")] == [200, 500]
    api.twin.configure(v2_text_bytes=0)
    assert await status("語" * 3386 + "x") == 200

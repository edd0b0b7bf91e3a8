"""Facts about what a message may hold (§1.1)."""

from __future__ import annotations

from twin.api import Api
from twin.facts.table import fact

EMOJI = "\U0001f600"
MIB = 1024 * 1024


@fact("T-01", "content of a bot message is at most 2000 characters", "DD:resources/message.mdx:1080")
async def content_limit(api: Api) -> None:
    assert (await api.send("x" * 2000)).status == 200
    refused = await api.send("x" * 2001)
    assert refused.outcome == (400, 50035)
    assert refused.errors["content"]["_errors"][0]["code"] == "BASE_TYPE_MAX_LENGTH"


@fact("T-02", "an edit has the same limit", "DD:resources/message.mdx:1200")
async def edit_limit(api: Api) -> None:
    made = (await api.send()).json["id"]
    assert (await api.edit(made, content="x" * 2001)).outcome == (400, 50035)
    assert (await api.edit(made, content="x" * 2000)).status == 200


@fact("T-03", "a webhook has the same limit", "DS IncomingWebhookRequestPartial.content.maxLength")
async def webhook_limit(api: Api) -> None:
    hook = await api.hook()
    assert (await api.post(hook, {"content": "x" * 2001})).outcome == (400, 50035)
    assert (await api.post(hook, {"content": "x" * 2000})).status == 204


@fact("T-04", "lengths are counted in code points", "discord/discord-api-docs#1315", switch="count")
async def counting(api: Api) -> None:
    assert (await api.send(EMOJI * 2000)).status == 200
    api.twin.configure(count="utf16")
    assert (await api.send(EMOJI * 1000)).status == 200
    assert (await api.send(EMOJI * 1001)).outcome == (400, 50035)


@fact("T-05", "white space at both ends is trimmed", "qaisjp/go-discord-irc#133", switch="trim_whitespace")
async def trimming(api: Api) -> None:
    assert (await api.send("\n  a b \n")).json["content"] == "a b"
    assert (await api.send(" " * 500 + "x" * 2000)).status == 200
    api.twin.configure(trim_whitespace=False)
    assert (await api.send(" a ")).json["content"] == " a "


@fact("T-06", "a message of white space only is empty: 50006", "NITKC-DEV/Kisarazu-Multi-Manager#32")
async def white_space_only(api: Api) -> None:
    assert (await api.send(" \n\t ")).outcome == (400, 50006)


@fact("T-07", "a message with nothing in it is refused: 50006", "DD:topics/opcodes-and-status-codes.mdx")
async def empty(api: Api) -> None:
    assert (await api.send(None)).outcome == (400, 50006)
    made = (await api.send()).json["id"]
    assert (await api.edit(made, content="")).outcome == (400, 50006)


@fact("T-08", "invalid unicode is taken out", "DD:resources/message.mdx:1055", switch="strip_invalid_unicode")
async def invalid_unicode(api: Api) -> None:
    assert (await api.send("a\ud83db\x00c")).json["content"] == "abc"
    api.twin.configure(strip_invalid_unicode=False)
    assert (await api.send("a\ud83db")).json["content"] == "a\ud83db"


@fact("T-09", "at most 10 embeds", "DD:resources/message.mdx:602")
async def embed_count(api: Api) -> None:
    assert (await api.send(None, embeds=[{"title": "t"}] * 10)).status == 200
    assert (await api.send(None, embeds=[{"title": "t"}] * 11)).outcome == (400, 50035)


@fact("T-10", "an embed's description is at most 4096, its title 256", "DD:resources/message.mdx:607")
async def embed_parts(api: Api) -> None:
    assert (await api.send(None, embeds=[{"description": "x" * 4096}])).status == 200
    refused = await api.send(None, embeds=[{"title": "t"}, {"description": "x" * 4097}])
    assert "description" in refused.errors["embeds"]["1"]
    assert (await api.send(None, embeds=[{"title": "x" * 257}])).outcome == (400, 50035)


@fact("T-11", "an embed has at most 25 fields of 256 and 1024", "DD:resources/message.mdx:607")
async def embed_fields(api: Api) -> None:
    field = {"name": "n", "value": "v"}
    assert (await api.send(None, embeds=[{"fields": [field] * 25}])).status == 200
    assert (await api.send(None, embeds=[{"fields": [field] * 26}])).outcome == (400, 50035)
    assert (await api.send(None, embeds=[{"fields": [{**field, "value": "x" * 1025}]}])).outcome == (
        400,
        50035,
    )


@fact("T-12", "all embeds together hold at most 6000 characters", "DD:resources/message.mdx:619")
async def embed_total(api: Api) -> None:
    two = [{"description": "x" * 3000}, {"description": "x" * 3000}]
    assert (await api.send(None, embeds=two)).status == 200
    assert (await api.send(None, embeds=[*two, {"title": "t"}])).outcome == (400, 50035)


@fact("T-13", "texts of embeds are trimmed", "DD:resources/message.mdx:607")
async def embed_trim(api: Api) -> None:
    assert (await api.send(None, embeds=[{"title": "  t  "}])).json["embeds"][0]["title"] == "t"


@fact("T-14", "a file is at most 10 MiB: 40005", "DD:reference.mdx:430")
async def file_size(api: Api) -> None:
    assert (await api.upload({"a.bin": b"x" * (10 * MIB)})).status == 200
    assert (await api.upload({"a.bin": b"x" * (10 * MIB + 1)})).outcome == (413, 40005)


@fact("T-15", "a request is at most 25 MiB: 40005", "DD:reference.mdx:430")
async def request_size(api: Api) -> None:
    files = {f"{number}.bin": b"x" * (9 * MIB) for number in range(3)}
    assert (await api.upload(files)).outcome == (413, 40005)


@fact("T-16", "at most 10 files in a message: 30015", "DD:resources/message.mdx:651")
async def file_count(api: Api) -> None:
    assert (await api.upload({f"{number}.txt": b"x" for number in range(10)})).status == 200
    assert (await api.upload({f"{number}.txt": b"x" for number in range(11)})).outcome == (400, 30015)


@fact("T-17", "alt text is at most 1024 characters and comes back", "DD:resources/message.mdx:1072")
async def alt_text(api: Api) -> None:
    good = await api.upload({"a.png": b"x"}, attachments=[{"id": 0, "description": "a table"}])
    assert good.json["attachments"][0]["description"] == "a table"
    bad = await api.upload({"a.png": b"x"}, attachments=[{"id": 0, "description": "x" * 1025}])
    assert bad.outcome == (400, 50035)


@fact("T-18", "components v2 forbid content and embeds", "DD:components/reference.mdx:13")
async def components_v2(api: Api) -> None:
    text = [{"type": 10, "content": "hello"}]
    assert (await api.send(None, components=text, flags=1 << 15)).status == 200
    assert (await api.send("x", components=text, flags=1 << 15)).outcome == (400, 50035)


@fact("T-19", "texts of components v2 are at most 4000 together", "DS TextDisplayComponentForMessageRequest")
async def component_text(api: Api) -> None:
    full = [{"type": 10, "content": "x" * 2000}] * 2
    assert (await api.send(None, components=full, flags=1 << 15)).status == 200
    over = [*full, {"type": 10, "content": "x"}]
    assert (await api.send(None, components=over, flags=1 << 15)).outcome == (400, 50035)


@fact("T-20", "a message has at most 40 components", "DD:components/reference.mdx:13")
async def component_count(api: Api) -> None:
    assert (await api.send(None, components=[{"type": 10, "content": "x"}] * 41, flags=1 << 15)).status == 400


@fact("T-21", "AutoMod blocks with 200000", "DD:topics/opcodes-and-status-codes.mdx", switch="automod")
async def automod(api: Api) -> None:
    assert (await api.send("a BadWord here")).status == 200
    api.twin.configure(automod=("badword",))
    assert (await api.send("a BadWord here")).outcome == (400, 200000)


@fact(
    "T-22",
    "the link filter blocks with 240000",
    "DD:topics/opcodes-and-status-codes.mdx",
    switch="harmful_link",
)
async def harmful_link(api: Api) -> None:
    assert (await api.send("https://evil.example")).status == 200
    api.twin.configure(harmful_link=("evil.example",))
    assert (await api.send("see https://evil.example/x")).outcome == (400, 240000)


@fact("T-23", "a body that is no JSON is 50109", "DD:topics/opcodes-and-status-codes.mdx")
async def bad_json(api: Api) -> None:
    path = f"/channels/{api.twin.channel.id}/messages"
    headers = {"Content-Type": "application/json"}
    assert (await api.call("POST", path, data=b'{"content":', headers=headers)).outcome == (400, 50109)


@fact("T-24", "answers are `application/json`, without a charset", "DPY:discord/http.py json_or_text")
async def content_type(api: Api) -> None:
    assert (await api.send()).headers["Content-Type"] == "application/json"
    assert (await api.send(None)).headers["Content-Type"] == "application/json"

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from discord_twin import DrivenClock, Twin
from discord_twin.state.models import Draft
from discord_twin.web_ui.text_views import avatar_view, blocks_view, emoji_view, message_avatar, shown


def make_twin() -> Twin:
    return Twin(clock=DrivenClock())


def test_a_text_is_read_as_discord_reads_it() -> None:
    twin = make_twin()
    blocks = blocks_view(twin.state, "**bold** and `code`\n- item\n> said\n```py\nx = 1\n```\n||hidden||")

    assert blocks[0]["runs"][0] == {"text": "bold", "styles": ["bold"]}
    assert blocks[0]["runs"][2] == {"text": "code", "styles": ["code"]}
    assert (blocks[1]["line"], blocks[1]["lead"]) == ("item", "• ")
    assert blocks[2]["quote"][0]["runs"] == [{"text": "said", "styles": []}]
    assert blocks[3] == {"code": "x = 1", "language": "py"}
    assert blocks[4]["runs"] == [{"text": "hidden", "styles": ["spoiler"]}]


def test_mentions_have_names() -> None:
    twin = make_twin()
    role = twin.state.add_role(twin.guild, "helpers")
    text = f"<@{twin.user.id}> <@&{role.id}> <#{twin.channel.id}> <@1> <@&1> <#1> </ask:1>"
    runs = blocks_view(twin.state, text)[0]["runs"]

    shown_names = [one["text"] for one in runs if one["styles"] == ["mention"]]
    assert shown_names == [
        "@alice", "@helpers", "#general", "@unknown-user", "@deleted-role", "#unknown", "/ask",
    ]  # fmt: skip


def test_a_link_says_where_it_leads_and_nothing_else_is_one() -> None:
    twin = make_twin()
    (link,) = blocks_view(twin.state, "[here](https://example.com/a)")[0]["runs"]

    assert link == {"text": "here", "styles": ["link"], "to": "https://example.com/a"}
    for text in ("[x](javascript:alert(1))", "[x](data:text/html,x)", "<javascript:x>"):
        assert all("to" not in one for one in blocks_view(twin.state, text)[0]["runs"])


def test_a_custom_emoji_has_the_twins_picture_or_its_name() -> None:
    twin = make_twin()
    emoji = twin.state.add_emoji(twin.guild, "star")
    tag = f":star:{emoji.id}"

    assert emoji_view(twin.state, tag) is None
    twin.state.pictures[str(emoji.id)] = b"png"
    assert emoji_view(twin.state, tag) == {"text": ":star:", "picture": f"/cdn/emojis/{emoji.id}.png"}
    assert blocks_view(twin.state, f"<{tag}>")[0]["runs"][0]["picture"].startswith("/cdn/emojis/")


def test_what_turns_a_line_around_is_a_box() -> None:
    assert shown("a\u202eb") == "a□b"
    assert "\x1b" not in shown("a\x1b[31mb")
    assert len(shown("x" * 100_000)) == 8000


@settings(max_examples=200)
@given(
    st.text(max_size=80)
    | st.sampled_from(["<script>x</script>", '"><img src=x onerror=x>', "&lt;", "\u202e", "javascript:x"])
)
def test_no_text_can_name_an_address_to_be_fetched(text: str) -> None:
    twin = make_twin()
    for content in (text, f"```{text}\n{text}```", f"> {text}", f"[{text}](https://{text})", f"<:{text}:1>"):
        blocks = json.loads(json.dumps(blocks_view(twin.state, content)))
        for run in _runs(blocks):
            assert run.get("picture", "/cdn/").startswith("/cdn/")
            assert run.get("to", "https://").startswith(("https://", "http://"))


def _runs(blocks: list[dict[str, list[dict[str, str]]]]) -> list[dict[str, str]]:
    return [run for one in blocks for run in one.get("runs", [])] + [
        run
        for one in blocks
        if "quote" in one
        for run in _runs(one["quote"])  # type: ignore[arg-type]
    ]


# Faces


def test_who_has_a_picture_shows_it_and_who_has_none_a_letter() -> None:
    twin = make_twin()
    assert avatar_view(twin.state, twin.user) | {"colour": 0} == {"letter": "A", "colour": 0, "picture": None}
    twin.bot.user.avatar = "0a0b"
    assert avatar_view(twin.state, twin.bot.user)["picture"] is None
    twin.state.pictures["0a0b"] = b"png"
    assert avatar_view(twin.state, twin.bot.user)["picture"] == f"/cdn/avatars/{twin.bot.id}/0a0b.png"


def test_a_picture_of_the_twin_itself_is_shown_and_no_other() -> None:
    twin = make_twin()
    twin.state.pictures["0a"] = b"png"
    webhook = twin.state.add_webhook(twin.channel, "hook", twin.bot.user)

    def avatar(address: str | None) -> str | None:
        draft = Draft(content="x", username="Luna", avatar_url=address)
        message = twin.state.post(twin.channel, twin.bot.user, draft, webhook=webhook)
        view = message_avatar(twin.state, message)
        assert view["letter"] == "L"
        return view["picture"]  # type: ignore[no-any-return]

    assert avatar("http://127.0.0.1:80/cdn/avatars/1/0a.png") == "/cdn/avatars/1/0a.png"
    assert avatar("http://127.0.0.1:80/cdn/emojis/0a.png") == "/cdn/emojis/0a.png"
    for other in (
        None,
        "http://127.0.0.1:80/cdn/emojis/1/0a.png",
        "http://127.0.0.1:80/cdn/emojis/0b.png",
        "https://example.com/cdn/avatars/1/0a.png",
        "http://127.0.0.1:80/cdn/avatars/1/../x.png",
        "http://127.0.0.1:80/cdn/avatars/1/0b.png",
    ):
        assert avatar(other) is None
    webhook.avatar = "0a"
    assert avatar(None) == f"/cdn/avatars/{webhook.id}/0a.png"

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from streamcord._twin.page.page_markup import message_html
from streamcord._twin.state.model import Attachment, Draft
from streamcord.twin import DrivenClock, Message, Twin

OURS: dict[str, set[str]] = {
    "img": {"class", "alt", "src"},
    "a": {"href", "download"},
    "span": {"class", "tabindex"},
    "pre": {"data-language"},
    **{tag: {"class"} for tag in ("p", "i", "b", "div", "aside")},
    **{tag: set() for tag in ("header", "time", "strong", "em", "u", "s", "code", "small")},
    **{tag: set() for tag in ("blockquote", "h1", "h2", "h3", "br")},
}


class Reader(HTMLParser):
    """What a browser would make of it: the tags with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def post(**fields: object) -> Message:
    twin = Twin(clock=DrivenClock())
    return twin.state.post(twin.channel, twin.bot.user, Draft(**fields))  # type: ignore[arg-type]


def read(**fields: object) -> Reader:
    return Reader(message_html(post(**fields), heads=True))


def test_a_message_looks_as_discord_shows_it() -> None:
    html = message_html(
        post(content="**bold** and `code`\n- item\n> said\n```py\nx = 1\n```\n||hidden||"), heads=False
    )

    assert "<strong>bold</strong> and <code>code</code>" in html
    assert '<p class="item">• item</p>' in html
    assert "<blockquote><p>said</p></blockquote>" in html
    assert '<pre data-language="py">x = 1</pre>' in html
    assert '<span class="spoiler" tabindex="0">hidden</span>' in html


def test_the_first_of_a_block_bears_name_and_badge() -> None:
    message = post(content="x")

    assert '<span class="name">streamcord</span><b class="badge">APP</b>' in message_html(message, heads=True)
    assert "streamcord" not in message_html(message, heads=False)


def test_replies_embeds_files_and_buttons_are_shown() -> None:
    twin = Twin(clock=DrivenClock())
    said = twin.say(twin.channel, twin.user, "what is it?\nmore")
    draft = Draft(
        content="this",
        reply_to=said,
        reply_ids=(twin.channel.id, said.id),
        embeds=(
            {
                "author": {"name": "An author"},
                "title": "A title",
                "description": "**why**",
                "fields": [{"name": "Field", "value": "value"}],
                "footer": {"text": "foot"},
            },
            {},
        ),
        attachments=(
            Attachment(1, "notes.txt", b"12345", "text/plain"),
            Attachment(2, "table.png", b"", "image/png", "a | b", 4, 4),
        ),
        components=({"type": 1, "components": [{"type": 2, "label": "Stop"}]},),
    )
    page = Reader(message_html(twin.state.post(twin.channel, twin.bot.user, draft), heads=False))

    for words in ("@alice what is it?", "An author", "A title", "why", "Field", "value", "foot", "Stop"):
        assert words in page.text
    assert "notes.txt 5 bytes" in page.text
    assert ("img", f"/cdn/attachments/{twin.channel.id}/2/table.png", "a | b") in [
        (tag, has.get("src"), has.get("alt")) for tag, has in page.tags
    ]


def test_a_reply_to_a_message_that_is_gone_says_so() -> None:
    assert "Original message was deleted" in read(content="x", reply_ids=(1, 2)).text


@settings(max_examples=200)
@given(
    st.text(max_size=80)
    | st.sampled_from(["<script>x</script>", '"><img src=x onerror=x>', "&lt;", "\u202e"])
)
def test_no_text_becomes_markup_of_its_own(text: str) -> None:
    embed = {"title": text, "description": text, "fields": [{"name": text, "value": text}]}
    file = Attachment(1, text or "x", b"", "text/plain", text)
    picture = Attachment(1, text or "x", b"", "image/png", text, 1, 1)
    fields = {"username": text, "avatar_url": text, "embeds": (embed,), "attachments": (file, picture)}
    for content in (text, f"```{text}\n{text}```", f"> {text}", f"[{text}](https://{text})", f"||{text}||"):
        for tag, attributes in read(content=content, **fields).tags:
            assert tag in OURS
            assert attributes.keys() <= OURS[tag]
            for name in ("src", "href"):
                assert (attributes.get(name) or "/cdn/").startswith("/cdn/")


def test_what_turns_a_line_around_is_a_box() -> None:
    assert "a□b" in read(content="a\u202eb").text
    assert "\x1b" not in read(content="a\x1b[31mb").text


def test_a_picture_of_the_twin_itself_is_shown_and_no_other() -> None:
    def face(address: str) -> str | None:
        return next(attrs["src"] for tag, attrs in read(content="x", avatar_url=address).tags if tag == "img")

    assert face("http://127.0.0.1:80/cdn/avatars/1/0a.png") == "/cdn/avatars/1/0a.png"
    for other in ("https://example.com/cdn/avatars/1/0a.png", "http://127.0.0.1:80/cdn/avatars/1/../x.png"):
        found = face(other)
        assert found is not None
        assert found.startswith("/cdn/embed/avatars/")


def test_a_bot_with_a_picture_shows_it() -> None:
    twin = Twin(clock=DrivenClock())
    twin.bot.user.avatar = "0a0b"
    message = twin.state.post(twin.channel, twin.bot.user, Draft(content="x"))

    assert f'src="/cdn/avatars/{twin.bot.id}/0a0b.png"' in message_html(message, heads=True)

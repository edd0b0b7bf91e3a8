from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from streamcord._demo.draw_message import buttons_of
from streamcord._demo.screen import Screen
from streamcord._twin.state.model import Draft
from streamcord.twin import Twin


def make_screen() -> tuple[Screen, io.StringIO, Twin]:
    out = io.StringIO()
    return Screen(Console(file=out, width=60, color_system=None)), out, Twin()


def test_files_embeds_and_replies_are_shown() -> None:
    screen, out, twin = make_screen()
    first = twin.say(twin.channel, twin.user, "question " * 20, files={"a.png": b"\x89PNG\r\n\x1a\n"})
    draft = Draft(
        content="answer", reply_to=first, embeds=({"title": "T", "fields": [{"name": "n", "value": "v"}]},)
    )
    screen.show(first)
    screen.show(twin.state.post(twin.channel, twin.bot.user, draft))

    assert "▣ a.png 8 bytes" in out.getvalue()
    assert "┌ alice: question question" in out.getvalue()
    assert "│ T" in out.getvalue()
    assert "│ n: v" in out.getvalue()


def test_buttons_are_found_in_their_rows() -> None:
    _, _, twin = make_screen()
    row = {"type": 1, "components": [{"type": 2, "label": "Stop", "custom_id": "s"}, {"type": 2, "url": "u"}]}
    message = twin.state.post(twin.channel, twin.bot.user, Draft(content="x", components=(row,)))

    assert buttons_of(message) == {"Stop": "s"}


async def test_a_message_of_components_is_printed_with_its_frame_and_its_buttons() -> None:
    screen, out, twin = make_screen()
    async with twin:
        text, frame = {"type": 10, "content": "Hi there"}, {"type": 17, "components": []}
        button = {"type": 2, "style": 2, "label": "Source", "custom_id": "s"}
        frame["components"] = [{"type": 10, "content": "a | b"}, {"type": 1, "components": [button]}]
        message = twin.say(twin.channel, twin.user, "Hi")
        message.draft = replace(message.draft, content="", components=(text, frame))
        screen.show(message)

    assert "  Hi there\n  │ a | b" in out.getvalue()
    assert buttons_of(message) == {"Source": "s"}

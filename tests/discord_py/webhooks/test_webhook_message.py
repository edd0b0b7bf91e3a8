from __future__ import annotations

from typing import Any

from streamcord import Attachment, Message, Table
from streamcord._delivery.outbox import Pings, seal
from streamcord._discord.webhooks.appearance import Appearance
from streamcord._discord.webhooks.webhook_message import WebhookMessage
from streamcord._events import Align


class Place:
    def __init__(self, id_: int) -> None:
        self.id = id_


def outgoing(message: Message, channel: int = 1, home: int = 1, **more: Any) -> WebhookMessage:
    place: Any = Place(home)
    appearance = Appearance("Luna", message.content, embeds=more.pop("embeds", ()))
    return WebhookMessage(Place(channel), place, seal("turn", 0, message, **more), appearance)


def test_whom_it_may_ping_is_always_said() -> None:
    nobody = outgoing(Message("x")).payload(None)["allowed_mentions"]
    some = outgoing(Message("x"), pings=Pings(users=(7, 7, 8), replied_user=True)).payload(None)

    assert nobody == {"parse": [], "replied_user": False, "users": [], "roles": []} or nobody["parse"] == []
    assert some["allowed_mentions"]["users"] == [7, 8]
    assert not some["allowed_mentions"].get("replied_user")


def test_a_thread_is_named_and_a_channel_is_not() -> None:
    assert outgoing(Message("x")).thread == {}
    assert outgoing(Message("x"), channel=2).thread == {"thread_id": "2"}


def test_previews_are_hidden_unless_an_embed_is_ours() -> None:
    assert outgoing(Message("x"), previews=False).payload(None)["flags"] == 4
    shown = outgoing(Message("x"), previews=False, embeds=({"title": "y"},)).payload(None)
    assert "flags" not in shown
    assert shown["embeds"] == [{"title": "y"}]


def test_files_are_described_and_values_that_were_not_drawn_are_left_out() -> None:
    table = Table((), (), (Align.LEFT,), "|a|")
    files = (Attachment("../a.txt", b"a", "x" * 2000), table, Attachment("b.txt", b"b"))
    payload = outgoing(Message("", files=files)).payload("https://example.com/a.png")

    assert payload["attachments"] == [
        {"id": 0, "filename": "a.txt", "description": "x" * 1024},
        {"id": 1, "filename": "b.txt"},
    ]
    assert payload["avatar_url"] == "https://example.com/a.png"


def test_each_remedy_is_tried_once() -> None:
    one = outgoing(Message("x"))

    assert [one.tries("name"), one.tries("name"), one.tries("avatar")] == [True, False, True]

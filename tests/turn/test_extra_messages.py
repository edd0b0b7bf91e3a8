from __future__ import annotations

from streamcord import Attachment, Dropped, Message, Settings
from streamcord._turn.extra_messages import NOTICE, REST_NAME, as_messages, rest_as_file
from streamcord._turn.ledger import Shown

FILE = Attachment("a.txt", b"a")


def test_a_short_message_is_posted_as_it_is_and_is_nobodys_source() -> None:
    assert as_messages(Message("Hi.", spans=((0, 3),)), Settings()) == [Message("Hi.")]


def test_an_empty_message_is_none_unless_it_has_a_file() -> None:
    assert as_messages(Message(""), Settings()) == []
    assert as_messages(Message("", files=(FILE,)), Settings()) == [Message("", files=(FILE,))]


def test_a_message_too_long_becomes_several_and_the_last_has_the_files() -> None:
    parts = as_messages(Message("word " * 1000, files=(FILE,)), Settings(send_message_limit=1))

    assert len(parts) > 1
    assert all(len(part.content) <= 2000 for part in parts)
    assert [part.files for part in parts] == [*[()] * (len(parts) - 1), (FILE,)]
    assert " ".join(part.content for part in parts).split() == ["word"] * 1000


def test_what_the_cap_held_back_is_one_file_and_no_longer_dropped() -> None:
    shown = Shown(
        dropped=[
            Dropped("One.\n", "message_cap", ((0, 5),)),
            Dropped("..", "fragment", ((5, 7),)),
            Dropped("Two \ud83d", "message_cap", ((7, 12),)),
        ]
    )

    message = rest_as_file(shown)

    assert message is not None
    assert message.content == NOTICE
    assert message.files == (Attachment(REST_NAME, b"One.\nTwo ?", message.files[0].alt),)
    assert message.spans == ((0, 5), (7, 12))
    assert shown.dropped == [Dropped("..", "fragment", ((5, 7),))]


def test_nothing_held_back_is_no_file() -> None:
    assert rest_as_file(Shown(dropped=[Dropped(" \n", "message_cap", ((0, 2),))])) is None

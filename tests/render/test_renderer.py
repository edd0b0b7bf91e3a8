"""A message whose tables are drawn, or said in words."""

from __future__ import annotations

from streamcord._events import Attachment, Message, Table, Words
from streamcord._render.renderer import draw_files

TABLE = Table(((Words("a"),),), (((Words("1"),),),), (), "| a |\n|---|\n| 1 |")
PICTURE = Attachment("table.png", b"png", "a\n1")


class Drawer:
    def draw(self, value: object) -> Attachment | None:
        return PICTURE if isinstance(value, Table) else None


class Blind:
    def draw(self, value: object) -> None:
        return None


def test_tables_become_attachments_in_their_places() -> None:
    other = Attachment("other.txt", b"x")
    message = draw_files(Message("", files=(other, TABLE), fallback="text"), [Blind(), Drawer()])

    assert message.files == (other, PICTURE)
    assert message.content == ""


def test_a_table_that_nobody_can_draw_is_said_in_words() -> None:
    message = draw_files(Message("", files=(TABLE,), fallback="a | 1"), [Blind()])

    assert (message.content, message.files, message.fallback) == ("a | 1", (), None)


def test_a_message_without_tables_stays_as_it_is() -> None:
    message = Message("Hi", files=(PICTURE,))

    assert draw_files(message, []) is message

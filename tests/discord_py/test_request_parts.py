from __future__ import annotations

import pytest

from streamcord import Align, Attachment, Message, Table
from streamcord._delivery.outbox import NOBODY, Pings
from streamcord._discord.request_parts import as_allowed, as_file, as_files, put_name, safe_name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("table.png", "table.png"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("SPOILER_a.png", "a.png"),
        ("SPOILER_SPOILER_a.png", "a.png"),
        (".hidden", "hidden"),
        ("a\nb\0c.txt", "abc.txt"),
        ("", "file"),
        ("/", "file"),
        ("...", "file"),
        ("日本語.txt", "日本語.txt"),
        ("x" * 300 + ".png", "x" * 96 + ".png"),
        ("y" * 300, "y" * 100),
        ("a." + "z" * 300, "a." + "z" * 98),
    ],
)
def test_a_file_has_a_name_that_is_only_a_name(name: str, kept: str) -> None:
    assert safe_name(name) == kept


def test_a_file_carries_its_alt_text_as_far_as_discord_takes_it() -> None:
    assert as_file(Attachment("a.txt", b"a")).description is None
    assert as_file(Attachment("a.txt", b"a", "x" * 2000)).description == "x" * 1024


def test_a_spoiler_keeps_its_cover_whatever_it_is_called() -> None:
    assert as_file(Attachment("a.txt", b"a", spoiler=True)).filename == "SPOILER_a.txt"
    assert as_file(Attachment("SPOILER_a.txt", b"a", spoiler=True)).filename == "SPOILER_a.txt"


def test_only_what_has_been_drawn_is_a_file() -> None:
    table = Table((), (), (Align.LEFT,), "")
    files = as_files(Message("", files=(table, Attachment("a.txt", b"abc"))))

    assert [(file.filename, file.fp.read()) for file in files] == [("a.txt", b"abc")]


@pytest.mark.parametrize(
    ("pings", "body"),
    [
        (NOBODY, {"parse": [], "users": []}),
        (Pings((7, 8, 7)), {"parse": [], "users": [7, 8]}),
        (Pings(tuple(range(1, 150))), {"parse": [], "users": list(range(1, 101))}),
        (Pings(users=True), {"parse": ["users"]}),
        (Pings(users=True, roles=True), {"parse": ["users", "roles"]}),
        (Pings(replied_user=True), {"parse": [], "users": [], "replied_user": True}),
    ],
)
def test_whom_it_may_ping_is_said_in_full(pings: Pings, body: dict[str, object]) -> None:
    said = as_allowed(pings).to_dict()

    assert said.keys() == body.keys()
    assert {name: sorted(value) if isinstance(value, list) else value for name, value in said.items()} == {
        name: sorted(value) if isinstance(value, list) else value for name, value in body.items()
    }


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("", "Hi.", "Hi."),
        ("Luna", "Hi.", "**Luna:** Hi."),
        ("Luna", "- a", "**Luna:**\n- a"),
        ("Luna", "```\nx\n```", "**Luna:**\n```\nx\n```"),
        ("Luna", "# Big", "**Luna:**\n# Big"),
        ("Lu*na", "Hi.", r"**Lu\*na:** Hi."),
        ("Luna", "", "**Luna:**"),
    ],
)
def test_a_name_stands_in_front_and_breaks_no_line(name: str, content: str, shown: str) -> None:
    assert put_name(name, content) == shown

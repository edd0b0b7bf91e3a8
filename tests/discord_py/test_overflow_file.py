from __future__ import annotations

from streamcord import Attachment, Message
from streamcord._delivery.outgoing import build_outgoing
from streamcord._discord.overflow_file import MAX_FILES, Overflow


def test_messages_follow_each_other_in_one_file() -> None:
    rest = Overflow()
    rest.add(build_outgoing("turn", 0, Message("One.")))
    rest.add(build_outgoing("turn", 1, Message("Two.")))

    assert [(file.name, file.content) for file in rest.uploads] == [("rest.md", b"One.\nTwo.")]


def test_a_message_that_is_tried_again_stands_there_once() -> None:
    rest, outgoing = (
        Overflow(),
        build_outgoing("turn", 0, Message("One.", files=(Attachment("a.png", b"x"),))),
    )
    rest.add(outgoing)
    rest.add(outgoing)

    assert [file.content for file in rest.uploads] == [b"One.", b"x"]


def test_files_that_the_message_has_stay_and_the_old_rest_goes() -> None:
    rest = Overflow()
    rest.record_files(7, [{"id": "1", "filename": "a.png"}, {"id": "2", "filename": "rest.md"}])
    rest.add(build_outgoing("turn", 0, Message("One.")))

    named = rest.body(rest.uploads)["attachments"]

    assert rest.message_id == 7
    assert [one["id"] for one in named] == ["1", 0]


def test_images_that_do_not_fit_become_alternative_text() -> None:
    rest = Overflow()
    rest.record_files(7, [{"id": str(number), "filename": "a.png"} for number in range(MAX_FILES - 1)])
    rest.add(build_outgoing("turn", 0, Message("One.", files=(Attachment("b.png", b"x", "a cat"),))))

    assert [file.content for file in rest.uploads] == [b"One.\na cat"]


def test_what_was_hidden_is_hidden_in_the_file() -> None:
    rest = Overflow()
    rest.add(build_outgoing("turn", 0, Message("||It was the gardener.||")))
    uploads = rest.uploads

    assert uploads[0].spoiler
    assert rest.body(uploads)["attachments"][0]["filename"] == "SPOILER_rest.md"

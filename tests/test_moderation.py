"""Words are found however they are dressed, and what was not checked does not pass."""

from __future__ import annotations

import asyncio

import pytest

from streamcord import (
    Attachment,
    Message,
    ModerationStage,
    Moderator,
    SettingsError,
    Table,
    WordList,
    check_text,
)
from streamcord._moderation import readable_text

LIST = WordList(["Badword", "two  words", "禁句", "", " "])


@pytest.mark.parametrize(
    "text",
    [
        "badword", "a BADWORD!", "b\u200badword", "**bad**word", "ｂａｄｗｏｒｄ", "bad\\word", "||badword||",
        "see two\nwords here", "これは禁句です", "(badword)",
    ],
)  # fmt: skip
async def test_blocked_word_is_found_in_any_spelling(text: str) -> None:
    assert await LIST.check(text, "answer") == "a word of the list"


@pytest.mark.parametrize("text", ["", "badwords are fine", "notabadword", "two other words", "禁 句"])
async def test_other_words_pass(text: str) -> None:
    assert await LIST.check(text, "question") == ""


async def test_an_empty_list_and_other_stages_hold_nothing() -> None:
    assert await WordList([]).check("badword", "answer") == ""
    assert await WordList(["badword"], stages=["question"]).check("badword", "answer") == ""


class Broken:
    async def check(self, text: str, stage: ModerationStage, /) -> str:
        raise ValueError(text, stage)


class Counting:
    def __init__(self, reason: str = "") -> None:
        self.reason, self.seen = reason, list[tuple[str, str]]()

    async def check(self, text: str, stage: ModerationStage, /) -> str:
        self.seen.append((text, stage))
        return self.reason


async def test_the_first_that_objects_decides_and_white_space_is_nobodys_business() -> None:
    calm, strict, late = Counting(), Counting("no"), Counting("never asked")
    asked: list[Moderator] = [calm, strict, late]

    assert await check_text(asked, "hi", "question") == "no"
    assert await check_text(asked, " \n", "question") == ""
    assert await check_text([], "hi", "answer") == ""
    assert (calm.seen, late.seen) == ([("hi", "question")], [])


async def test_what_could_not_be_checked_does_not_pass(caplog: pytest.LogCaptureFixture) -> None:
    assert await check_text([Broken()], "my words", "answer") == "Broken failed"
    assert "moderator Broken failed" in caplog.text


async def test_a_cancelled_check_is_cancelled() -> None:
    class Slow:
        async def check(self, text: str, stage: ModerationStage, /) -> str:
            await asyncio.Event().wait()
            return f"{text} {stage}"

    task = asyncio.create_task(check_text([Slow()], "hi", "answer"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_everything_that_people_can_read_is_looked_at() -> None:
    table = Table((), (), (), source="| cell |")
    files = (Attachment("n.txt", b"in the file", "alt"), Attachment("x.png", b"\x89PNG\0badword"), table)

    assert readable_text(Message("words", files=files)).split("\n") == [
        "words", "n.txt", "alt", "in the file", "x.png", "", "| cell |",
    ]  # fmt: skip


def test_a_text_is_no_list_of_words() -> None:
    with pytest.raises(SettingsError, match=r"words must be a list of words, as in WordList\(\[\.\.\.\]\)"):
        WordList("bad")

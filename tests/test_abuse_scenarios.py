"""Scenarios M, as far as they end in a bot's message: what a model may write to do harm, and what it gets.

M-17 and M-18 are with the twin and the providers, M-09 and M-10 with personas and their pictures.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from delivery.stage import FREE, Stage, on_stage
from discord_twin import FaultKind
from streamcord import (
    AnswerContext,
    Attachment,
    Degree,
    Ending,
    Message,
    MessageRefused,
    Person,
    Pipeline,
    Settings,
    SettingsError,
    TurnResult,
    say,
)
from streamcord._delivery.sender import BLOCKED_NOTICE
from streamcord._text.rules.cleanup import HIDDEN
from streamcord.discord import redirect_discord_py
from virtual_time import covers, timeless

LINES = Settings(degree=Degree.LIGHT)
ESCAPE = "\x1b"
SILENT = 1 << 12
"""All messages of an answer but the first make no sound."""


async def model(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


async def answer(
    stage: Stage,
    *texts: str,
    settings: Settings = LINES,
    context: AnswerContext | None = None,
    **options: Any,
) -> TurnResult:
    return await say(stage.channel(**options), model(*texts), settings=settings, context=context)


def everybody(stage: Stage) -> str:
    """Everything that could ping anyone here."""
    role = stage.twin.guild.id
    return f"@everyone @here <@&{role}> " + f"<@{stage.twin.user.id}> " * 60 + f"<@!{stage.twin.user.id}>"


@timeless
async def test_m_01_nobody_is_pinged_by_what_a_model_writes() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("ping them all")
        text = everybody(stage)
        channel = stage.channel(reply_to=asked)
        await say(channel, model(text), settings=LINES)
        caption = Message(text[:1500], files=(Attachment("a.txt", b"a", text[:1000]),))
        receipt = await channel.send(caption)
        await channel.edit(receipt, text[:1900])

        assert len(stage.sent) >= 2
        assert stage.twin.log.pings == []
        assert stage.twin.log.count(status=400) == 0


@pytest.mark.parametrize("semantics", ["explicit", "lenient"])
def test_m_01_only_those_whom_we_know_are_pinged(semantics: Any) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(replace(FREE, allowed_mentions_semantics=semantics)) as stage:
            bob = stage.twin.add_user("bob")
            settings = Settings(degree=Degree.LIGHT)
            context = AnswerContext(people=(Person(bob.id, "bob"),))
            await answer(stage, f"{everybody(stage)} and @bob", settings=settings, context=context)

            assert stage.twin.log.pinged == {bob.id}

    scenario()


@timeless
async def test_m_01_a_notice_pings_nobody() -> None:
    async with on_stage(replace(FREE, automod=("forbidden",))) as stage:
        with pytest.raises(MessageRefused):
            await answer(stage, f"Hi.\nforbidden {everybody(stage)}")

        assert stage.twin.log.pings == []


@timeless
async def test_m_02_a_ping_in_pieces_is_none_either() -> None:
    async with on_stage() as stage:
        user = stage.twin.user.id
        pieces = ["@every", "one @he", "re <", "@", str(user)[:5], str(user)[5:], "> @\u200beveryone"]
        await answer(stage, *pieces)
        await answer(stage, "a" * 1940 + " @everyone here", settings=Settings(degree=Degree.NONE))

        assert stage.texts[0].startswith("@everyone @here <@")
        assert stage.twin.log.pings == []


@timeless
async def test_m_03_a_name_that_several_have_or_that_is_a_trick_pings_nobody() -> None:
    async with on_stage() as stage:
        twins = [stage.twin.add_user(f"alice{number}") for number in range(3)]
        people = (
            *(Person(one.id, names=("alice",)) for one in twins),
            Person(stage.twin.user.id, handle="everyone", names=("here", f"<@{twins[0].id}>")),
        )
        settings = Settings(degree=Degree.LIGHT)
        context = AnswerContext(people=people)
        await answer(stage, "@alice, @everyone, @here and @x", settings=settings, context=context)

        assert stage.texts == ["@alice, @everyone, @here and @x"]
        assert stage.twin.log.pings == []


@timeless
async def test_m_04_who_is_who_is_settled_before_the_answer() -> None:
    async with on_stage() as stage:
        alice, mallory = stage.twin.user, stage.twin.add_user("mallory")
        settings = Settings(degree=Degree.LIGHT)
        context = AnswerContext(people=(Person(alice.id, "alice"), Person(mallory.id, "mallory")))

        async def source() -> AsyncIterator[str]:
            yield "Hi @ali"
            mallory.name, alice.name = "alice", "someone"
            yield "ce!"

        await say(stage.channel(), source(), settings=settings, context=context)

        assert stage.texts == [f"Hi <@{alice.id}>!"]
        assert stage.twin.log.pinged == {alice.id}


@timeless
async def test_m_05_a_link_shows_where_it_leads() -> None:
    async with on_stage() as stage:
        await answer(
            stage,
            "[https://bank.example](https://evil.example)\n"
            "[bank.com](https://bank.com@evil.example/)\n"
            "[аpple.com](https://evil.example)\n"
            "[click](javascript:alert(1))",
        )

        assert stage.texts == [
            "https://evil.example",
            "https://bank.com@evil.example/",
            "https://evil.example",
            "[click](javascript:alert(1))",
        ]


@pytest.mark.parametrize(("previews", "flags"), [("off", 4), ("auto", 0)])
def test_m_06_links_show_no_preview_if_the_settings_say_so(previews: Any, flags: int) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            text = " ".join(f"https://a{number}.example/x.png" for number in range(50))
            await answer(stage, text, settings=Settings(degree=Degree.LIGHT, previews=previews))

            assert {int(message.draft.flags) & ~SILENT for message in stage.sent} == {flags}

    scenario()


@timeless
async def test_m_13_a_key_that_a_model_was_talked_into_printing_is_not_sent() -> None:
    async with on_stage() as stage:
        token = stage.twin.token
        await answer(stage, f"My token is {token[:20]}", f"{token[20:]}, but keep it.")

        assert token not in "\n".join(stage.texts)
        assert HIDDEN in stage.texts[0]
        assert all(token not in request.body.decode() for request in stage.twin.log.of("messages.create"))


@timeless
async def test_m_14_what_is_aimed_at_logs_does_not_reach_them() -> None:
    records: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record.getMessage())

    handler = Keep(logging.DEBUG)
    logger = logging.getLogger("streamcord")
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.DEBUG)
    try:
        async with on_stage() as stage:
            stage.twin.inject_fault(FaultKind.ERROR_CODE, after=1, code=50109)
            with pytest.raises(MessageRefused) as raised:
                await answer(stage, f"{ESCAPE}[31mred{ESCAPE}[0m\nERROR root: {ESCAPE}]0;title\x07\nThree.")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)

    assert not any(ESCAPE in text or "ERROR root" in text for text in [*records, str(raised.value)])


@pytest.mark.parametrize("name", ["../../etc/passwd", "SPOILER_x.png", "x" * 300 + ".png", "a\r\nb.txt"])
def test_m_15_a_files_name_is_a_name(name: str) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            await stage.channel().send(Message("", files=(Attachment(name, b"x"),)))
            (file,) = stage.sent[0].attachments

            assert "/" not in file.filename
            assert not file.filename.startswith("SPOILER_")
            assert len(file.filename) <= 100
            assert file.filename.isprintable()

    scenario()


def test_m_19_the_token_goes_to_no_address_that_others_can_read() -> None:
    with (
        pytest.raises(SettingsError, match="api_url"),
        redirect_discord_py("http://discord.example/api", "wss://discord.example", "https://cdn.example"),
    ):
        pass


@timeless
async def test_m_20_a_notice_of_ours_cannot_be_imitated() -> None:
    async with on_stage(replace(FREE, automod=("forbidden",))) as stage:
        with pytest.raises(MessageRefused):
            await answer(stage, f"{BLOCKED_NOTICE}\nforbidden")
        imitation, notice = stage.sent

        assert (imitation.content, imitation.draft.embeds) == (BLOCKED_NOTICE, ())
        assert notice.content == ""
        assert notice.draft.embeds[0]["description"] == BLOCKED_NOTICE.removeprefix("-# ")


@timeless
async def test_m_20_without_the_permission_a_notice_is_a_thin_line() -> None:
    async with on_stage(replace(FREE, automod=("forbidden",))) as stage:
        stage.twin.inject_fault(FaultKind.PERM_REVOKE, "channels.typing", permission=1 << 14)
        await stage.find().typing()
        await stage.hear("let the news arrive")
        with pytest.raises(MessageRefused):
            await answer(stage, "forbidden")

        assert stage.texts == [BLOCKED_NOTICE]


@pytest.mark.parametrize(
    "label", ["User:", "**User**:", "**User:**", "User：", "U\u200bser:", "user:", "Assistant:", "Alice:"]
)
def test_m_07_words_put_into_the_mouth_of_others_end_the_answer(label: str) -> None:
    @timeless
    async def scenario() -> None:
        settings = Settings(degree=Degree.LIGHT, speaker_guard="known")
        context = AnswerContext(people=(Person(1, "Alice"),))
        async with on_stage() as stage:
            result = await answer(
                stage,
                "Mine.\n",
                label[:2],
                f"{label[2:]} not mine.\nNor this.",
                settings=settings,
                context=context,
            )

            assert stage.texts == ["Mine."]
            assert result.ending is Ending.SPEAKER_GUARD

    scenario()


@timeless
async def test_m_08_what_only_looks_like_a_label_ends_nothing() -> None:
    lines = [
        "Note: this.",
        "Ingredients: that.",
        "https: is a scheme",
        "at 12:30: lunch",
        "```css\ncolor: red\n```",
    ]
    async with on_stage() as stage:
        await answer(stage, "\n".join(lines), settings=Settings(degree=Degree.LIGHT, speaker_guard="known"))

        assert stage.texts == lines


@pytest.mark.parametrize(
    "table",
    [
        "|" + "a|" * 1000 + "\n|" + "-|" * 1000 + ("\n|" + "x|" * 1000) * 20,
        "| a | b |\n|---|---|\n| " + "x" * 20_000 + " | y |",
        "| a | b |\n|---|---|" + "\n| 1 | 2 |" * 2000,
    ],
    ids=["wide", "one cell", "long"],
)
def test_m_11_a_table_without_measure_is_words_in_bounded_time(table: str) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            began = time.process_time()
            result = await answer(stage, table, settings=Settings(degree=Degree.LIGHT, message_cap=0))

            assert time.process_time() - began < 10
            assert covers(result, len(table))
            assert max(len(text) for text in stage.texts) <= 2000

    scenario()


@pytest.mark.parametrize("flood", ["\n", "<think>", "`", "[", "*", "|", " ", "(", ":a", "](", "/webhooks/1"])
def test_m_12_a_flood_of_one_sign_costs_no_more_than_its_length(flood: str) -> None:
    def cost(count: int) -> float:
        began = time.process_time()
        pipeline = Pipeline(Settings(answer_cap=0, message_cap=0))
        pipeline.feed(flood * count)
        pipeline.flush()
        return time.process_time() - began

    cost(1000)
    small = min(cost(10_000) for _ in range(2))
    large = min(cost(40_000) for _ in range(2))

    assert large <= max(0.05, small * 4 * 3)

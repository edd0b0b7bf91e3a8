from __future__ import annotations

import pytest

from delivery.stage import Stage, on_stage
from delivery.voices import LUNA, insist, shown, words
from streamcord import Message, Speaker
from streamcord._delivery.outbox import seal
from streamcord._discord.webhooks.appearance import (
    PICTURE_LENGTH,
    Appearance,
    CardLook,
    NameAndAvatar,
    add_notice,
    find_avatar_url,
)
from streamcord._discord.webhooks.webhooks import Webhooks
from streamcord._shared.image_kinds import as_data_uri
from streamcord._twin.cdn import plain_png
from streamcord.twin import FaultKind
from virtual import timeless

# --- Avatars ---

RED, BLUE = plain_png(0x0000FF), plain_png(0xFF0000)
EDIT = "webhooks.edit"


def pictures(stage: Stage) -> list[bytes | str | None]:
    """What stands over each message: bytes that the webhook wore, or an address."""
    found: list[bytes | str | None] = []
    for message in stage.sent:
        worn = stage.twin.state.pictures.get(message.author.avatar or "")
        found.append(message.draft.avatar_url or worn)
    return found


@pytest.mark.parametrize(
    "avatar",
    [
        None,
        "",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://x/" + "y" * 2048,
        "https://x/\n",
        "x.png",
    ],
)
def test_what_is_no_address_is_no_avatar(avatar: str | None) -> None:
    assert find_avatar_url(avatar) is None


@pytest.mark.parametrize("avatar", ["https://example.com/a.png", "http://127.0.0.1:8765/cdn/a.png?size=64"])
def test_an_address_is_passed_on_and_never_fetched(avatar: str) -> None:
    assert find_avatar_url(avatar) == avatar


@timeless
async def test_bytes_are_worn_by_the_webhook_and_put_on_once() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks()
        red, blue = Speaker("Red", as_data_uri(RED)), Speaker("Blue", as_data_uri(BLUE))
        for part, speaker in enumerate((red, red, blue)):
            await insist(webhooks, stage.find(), words("said", part, speaker))

        assert pictures(stage) == [RED, RED, BLUE]
        assert stage.twin.log.count(EDIT) == 2


@timeless
async def test_nobody_wears_the_picture_of_another() -> None:
    async with on_stage() as stage:
        webhooks, plain, red = Webhooks(), Speaker("Plain"), Speaker("Red", as_data_uri(RED))
        await insist(webhooks, stage.find(), words("said", 1, plain))
        await insist(webhooks, stage.find(), words("said", 2, red))
        await insist(webhooks, stage.find(), words("said", 3, plain))
        # Another process finds the webhook dressed.
        await insist(Webhooks(), stage.find(), words("said", 4, plain))
        own = stage.find().guild.me.display_avatar.url

        assert pictures(stage) == [None, RED, own, own]


@pytest.mark.parametrize("fault", [FaultKind.COMMIT_THEN_STATUS, FaultKind.COMMIT_THEN_DROP_ACK])
def test_a_webhook_that_may_be_dressed_is_taken_for_one_that_is(fault: FaultKind) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhooks, own = Webhooks(), stage.find().guild.me.display_avatar.url
            stage.twin.fail(fault, EDIT)
            await insist(webhooks, stage.find(), words("said", 1, Speaker("Red", as_data_uri(RED))))
            await insist(webhooks, stage.find(), words("said", 2, Speaker("Plain")))

            assert pictures(stage) == [own, own]

    run()


@pytest.mark.parametrize("fault", [FaultKind.RATE_USER, FaultKind.STATUS, FaultKind.COMMIT_THEN_DROP_ACK])
def test_where_discord_does_not_take_the_picture_now_the_words_come_all_the_same(fault: FaultKind) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhooks, red = Webhooks(), Speaker("Red", as_data_uri(RED))
            stage.twin.fail(fault, EDIT)
            for part in range(2):
                await insist(webhooks, stage.find(), words("said", part, red))

            assert pictures(stage) == [stage.find().guild.me.display_avatar.url, RED]

    run()


@timeless
async def test_a_picture_that_discord_refuses_is_not_offered_again() -> None:
    async with on_stage() as stage:
        webhooks, red = Webhooks(), Speaker("Red", as_data_uri(RED))
        stage.twin.fail(FaultKind.ERROR_CODE, EDIT, code=50035)
        for part in range(3):
            await insist(webhooks, stage.find(), words("said", part, red))

        assert stage.texts == ["said"] * 3
        assert stage.twin.log.count(EDIT) == 1


@pytest.mark.parametrize(
    "avatar",
    [
        "data:image/png;base64,!!!!",
        "data:image/png;base64," + "A" * 100,
        "data:text/html;base64,PGI+",
        "data:image/png;base64,iVBORw0K" + "A" * (PICTURE_LENGTH * 4 // 3 + 64),
    ],
)
def test_what_is_no_picture_or_too_large_is_not_sent(avatar: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            await insist(Webhooks(), stage.find(), words("said", speaker=Speaker("Odd", avatar)))

            assert pictures(stage) == [None]
            assert stage.twin.log.count(EDIT) == 0

    run()


def test_only_pictures_have_an_address() -> None:
    assert as_data_uri(RED).startswith("data:image/png;base64,iVBOR")
    assert as_data_uri(b"GIF89a").startswith("data:image/gif;")
    with pytest.raises(ValueError, match="PNG"):
        as_data_uri(b"<svg/>")


# --- Appearance ---


def test_the_usual_look_is_the_speakers_own() -> None:
    assert NameAndAvatar().dress(Message("Hi."), LUNA) == Appearance("Luna", "Hi.", LUNA.avatar)


@timeless
async def test_a_card_shows_the_speaker_at_its_head() -> None:
    async with on_stage() as stage:
        await insist(Webhooks(look=CardLook("The stage")), stage.find(), words("Hi."))
        (message,) = stage.sent
        (card,) = message.draft.embeds

        assert (message.shown_name, message.content) == ("The stage", "")
        assert (card["author"]["name"], card["author"]["icon_url"]) == ("Luna", LUNA.avatar)
        assert card["description"] == "Hi."


def test_a_card_without_words_or_with_too_many_is_none() -> None:
    card = CardLook("The stage")

    assert card.dress(Message(""), LUNA).embeds == ()
    assert card.dress(Message("x" * 4097), LUNA).content == "x" * 4097
    assert card.dress(Message("x"), Speaker("y" * 300)).embeds[0]["author"] == {"name": "y" * 256}


@timeless
async def test_a_look_of_ones_own_is_made_safe() -> None:
    class Loud:
        def dress(self, message: Message, speaker: Speaker) -> Appearance:
            return Appearance(f"Discord {speaker.name}", message.content.upper(), "file:///etc/passwd")

    async with on_stage() as stage:
        await insist(Webhooks(look=Loud()), stage.find(), words("Hi."))
        (message,) = stage.sent

        assert (message.content, message.draft.avatar_url) == ("HI.", None)


# --- Reply notice ---


@timeless
async def test_the_first_message_links_to_what_it_answers_and_no_other_does() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        channel = stage.channel(reply_to=asked, webhooks=Webhooks())
        await channel.send(Message("Because.", speaker=Speaker("Luna"), reply=True))
        await channel.send(Message("That is why.", speaker=Speaker("Luna")))
        first, second = stage.sent

        assert first.draft.embeds[0]["author"]["url"] == asked.jump_url
        assert first.draft.embeds[0]["author"]["name"] == "↩ alice"
        assert second.draft.embeds == ()
        assert stage.twin.log.pings == []


@timeless
async def test_where_previews_are_off_the_notice_is_a_small_line() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        parcel = seal("t", 0, Message("See https://a.example", speaker=Speaker("Luna")), previews=False)
        await insist(Webhooks(), asked.channel, parcel, reply_to=asked)
        (message,) = stage.sent

        assert message.content == f"-# ↩ [alice](<{asked.jump_url}>)\nSee https://a.example"
        assert message.draft.embeds == ()
        assert message.draft.flags


@timeless
async def test_a_line_that_does_not_fit_is_left_out_and_reported() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        parcel = seal("t", 0, Message("x" * 1990, speaker=Speaker("Luna")), previews=False)
        receipt = await insist(Webhooks(), asked.channel, parcel, reply_to=asked)

        assert shown(stage) == [("Luna", "x" * 1990)]
        assert receipt.changes == ("no_reply",)


@timeless
async def test_a_name_cannot_break_out_of_its_line() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        asked.author._user.global_name = "](https://evil.example) @everyone\n# x"  # type: ignore[union-attr]
        noticed = add_notice(Appearance("Luna", "Hi."), asked, embeds=False)

        assert noticed is not None
        assert noticed.content.splitlines()[0].startswith("-# ↩ [httpsevil.example everyone  x](<https://")

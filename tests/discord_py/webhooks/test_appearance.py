from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from delivery.stage import Stage, on_stage
from delivery.webhook_helpers import LUNA, insist, shown, words
from discord_twin import FaultKind, Permission, TwinOptions
from discord_twin.cdn import plain_png
from discord_twin.rest.request_body import read_webhook_name
from streamcord import Message, Speaker, WebhookUnavailable
from streamcord._common.image_headers import as_data_uri
from streamcord._delivery.outgoing import OutgoingMessage, build_outgoing
from streamcord._discord.webhooks.appearance import (
    DEFAULT_NAME,
    MAX_AVATAR_BYTES,
    Appearance,
    add_notice,
    append_suffix,
    build_appearance,
    find_avatar_url,
    is_confusable,
    sanitize_name,
    skeleton,
)
from streamcord._discord.webhooks.impersonation import CACHE_S, ImpersonationGuard
from streamcord._discord.webhooks.sender import Webhooks
from virtual_time import now, timeless

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
async def test_avatar_bytes_are_uploaded_to_the_webhook_once() -> None:
    async with on_stage() as stage:
        webhooks = Webhooks()
        red, blue = Speaker("Red", as_data_uri(RED)), Speaker("Blue", as_data_uri(BLUE))
        for part, speaker in enumerate((red, red, blue)):
            await insist(webhooks, stage.find(), words("said", part, speaker))

        assert pictures(stage) == [RED, RED, BLUE]
        assert stage.twin.log.count(EDIT) == 2


@timeless
async def test_persona_never_shows_the_avatar_of_another() -> None:
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
def test_uncertain_avatar_upload_counts_as_done(fault: FaultKind) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            webhooks, own = Webhooks(), stage.find().guild.me.display_avatar.url
            stage.twin.inject_fault(fault, EDIT)
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
            stage.twin.inject_fault(fault, EDIT)
            for part in range(2):
                await insist(webhooks, stage.find(), words("said", part, red))

            assert pictures(stage) == [stage.find().guild.me.display_avatar.url, RED]

    run()


@timeless
async def test_a_picture_that_discord_refuses_is_not_offered_again() -> None:
    async with on_stage() as stage:
        webhooks, red = Webhooks(), Speaker("Red", as_data_uri(RED))
        stage.twin.inject_fault(FaultKind.ERROR_CODE, EDIT, code=50035)
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
        "data:image/png;base64,iVBORw0K" + "A" * (MAX_AVATAR_BYTES * 4 // 3 + 64),
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


def test_the_appearance_is_the_speakers_own() -> None:
    assert build_appearance(Message("Hi."), LUNA) == Appearance("Luna", "Hi.", LUNA.avatar)


@timeless
async def test_an_unsafe_name_and_avatar_are_made_safe() -> None:
    speaker = Speaker("Discord Luna", "file:///etc/passwd")
    async with on_stage() as stage:
        await insist(Webhooks(), stage.find(), words("Hi.", speaker=speaker))
        (message,) = stage.sent

        assert (message.content, message.draft.avatar_url) == ("Hi.", None)


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


def as_message(text: str = "Because.", part: int = 0) -> OutgoingMessage:
    message = Message(text, speaker=Speaker("Luna"), reply=part == 0)
    return build_outgoing("t", part, message, reply_notice="message")


@timeless
async def test_notice_of_its_own_message_comes_first_and_once() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        webhooks = Webhooks()
        await insist(webhooks, asked.channel, as_message(), reply_to=asked)
        await insist(webhooks, asked.channel, as_message("That is why.", 1))
        notice, first, second = stage.sent

        assert notice.content == ""
        assert notice.draft.embeds[0]["author"]["url"] == asked.jump_url
        assert [one.shown_name for one in (notice, first)] == ["Luna", "Luna"]
        assert [(one.content, one.draft.embeds) for one in (first, second)] == [
            ("Because.", ()),
            ("That is why.", ()),
        ]


@timeless
async def test_notice_is_not_repeated_when_the_message_after_it_is_sent_again() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        webhooks = Webhooks()
        for _ in range(2):
            await insist(webhooks, asked.channel, as_message(), reply_to=asked)

        assert [bool(one.draft.embeds) for one in stage.sent] == [True, False, False]


@timeless
async def test_where_previews_are_off_the_notice_is_a_small_line() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        outgoing = build_outgoing(
            "t", 0, Message("See https://a.example", speaker=Speaker("Luna")), previews=False
        )
        await insist(Webhooks(), asked.channel, outgoing, reply_to=asked)
        (message,) = stage.sent

        assert message.content == f"-# ↩ [alice](<{asked.jump_url}>)\nSee https://a.example"
        assert message.draft.embeds == ()
        assert message.draft.flags


@timeless
async def test_a_line_that_does_not_fit_is_left_out_and_reported() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        outgoing = build_outgoing("t", 0, Message("x" * 1990, speaker=Speaker("Luna")), previews=False)
        receipt = await insist(Webhooks(), asked.channel, outgoing, reply_to=asked)

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


@timeless
@pytest.mark.parametrize(
    ("name", "told"),
    [("a\u200b\u202egnp.exe", "↩ agnp.exe"), ("\u200b\u3164", "↩ message"), ("Ada", "↩ Ada")],
)
async def test_a_name_does_not_turn_its_line_around_nor_hide(name: str, told: str) -> None:
    async with on_stage() as stage:
        asked = await stage.hear("why?")
        asked.author._user.global_name = name  # type: ignore[union-attr]
        noticed = add_notice(Appearance("Luna", "Hi."), asked)

        assert noticed is not None
        assert noticed.embeds[0]["author"]["name"] == told


# --- Names ---------------------------------------------------------------------------------------------


# --- Webhook names ---

FAMILY = "👨\u200d👩\u200d👧\u200d👦"


@given(st.text(max_size=300))
@example("dis\u200bcord")
@example("\u200b" * 700 + "clyde")
@example("ｃｌｙｄｅ")
@example("e" + "\u0301" * 300)
@example("🇩🇪" * 60)
@example("disdiscordcord")
def test_every_name_becomes_one_that_discord_takes(name: str) -> None:
    safe = sanitize_name(name)

    assert 2 <= len(safe) <= 80
    read_webhook_name(safe, TwinOptions())
    assert sanitize_name(name) == safe


@pytest.mark.parametrize("name", ["Luna", "Ada (Luna)", "Luna …", "月の猫", "O'Neill #1", "@home: yes"])
def test_a_name_that_discord_takes_stays_as_it_is(name: str) -> None:
    assert sanitize_name(name) == name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Discord Fan", "D\u200aiscord Fan"),
        ("CLYDE", "C\u200aLYDE"),
        ("everyone", "e\u200averyone"),
        ("everyone else", "everyone else"),
        ("`rm`", "'rm'"),
        ("\u202eanuL", "anuL"),
        ("Lu\nna", "Lu na"),
        ("x", "x ·"),
        ("", DEFAULT_NAME),
        (" \u200b\ufeff ", DEFAULT_NAME),
        ("x" * 200, "x" * 79 + "…"),
    ],
)
def test_what_becomes_of(name: str, safe: str) -> None:
    assert sanitize_name(name) == safe


def test_nothing_that_is_drawn_as_one_is_cut() -> None:
    assert sanitize_name(FAMILY * 20) == FAMILY * 11 + "…"
    assert sanitize_name("🇩🇪" * 50) == "🇩🇪" * 39 + "…"
    assert sanitize_name("a" * 78 + "e\u0301zz") == "a" * 78 + "…"
    assert unicodedata.normalize("NFC", sanitize_name("x" * 77 + "e\u0301zz")) == "x" * 77 + "é…"


def test_a_single_character_longer_than_a_name_is_cut_all_the_same() -> None:
    assert sanitize_name("e" + "\u0301" * 200) == "e" + "\u0301" * 78 + "…"


def test_another_fallback_is_made_safe_too() -> None:
    assert sanitize_name("\u200b", "discord") == "d\u200aiscord"


def test_a_mark_fits_behind_every_name() -> None:
    assert append_suffix("Luna", "persona") == "Luna (persona)"
    assert len(append_suffix("x" * 80, "persona")) == 80


@pytest.mark.parametrize(
    "other", ["ADMIN", "Аdmіn", "adm1n", "a d m i n", "Ａｄｍｉｎ", "ádmin", "ad\u200bmin", "αdmin"]
)
def test_names_that_look_alike_have_one_skeleton(other: str) -> None:
    assert is_confusable(other, {skeleton("Admin")})


@pytest.mark.parametrize("other", ["Admiral", "Luna", "", "🦊", "..."])
def test_other_names_have_another(other: str) -> None:
    assert not is_confusable(other, {skeleton("Admin"), ""})


# --- Namesakes ---


@timeless
async def test_who_has_power_is_guarded_and_nobody_else() -> None:
    async with on_stage(members=True) as stage:
        twin = stage.twin
        role = twin.state.add_role(twin.guild, "mods", Permission.MANAGE_MESSAGES)
        fans = twin.state.add_role(twin.guild, "fans")
        for name, roles in {"Mona": [role], "Finn": [fans]}.items():
            twin.state.add_member(twin.guild, twin.state.add_user(name), roles)
        await stage.hear("ping")
        guild = stage.find().guild
        impersonation = ImpersonationGuard("mark", now)

        assert await impersonation.resolve_name("m0na", guild) == "m0na (persona)"
        assert await impersonation.resolve_name("ALICE", guild) == "ALICE (persona)"  # the owner
        assert await impersonation.resolve_name("Finn", guild) == "Finn"
        assert await impersonation.resolve_name("streamcord", guild) == "streamcord"  # the bot itself
        with pytest.raises(WebhookUnavailable):
            await ImpersonationGuard("refuse", now).resolve_name("Mona", guild)


@timeless
async def test_new_members_are_seen_after_a_while() -> None:
    async with on_stage(members=True) as stage:
        time = 0.0
        twin, impersonation, guild = stage.twin, ImpersonationGuard("mark", lambda: time), stage.find().guild
        await impersonation.resolve_name("Mona", guild)
        role = twin.state.add_role(twin.guild, "mods", Permission.MANAGE_GUILD)
        twin.state.add_member(twin.guild, twin.state.add_user("Mona"), [role])
        await stage.hear("ping")
        assert await impersonation.resolve_name("Mona", guild) == "Mona"
        time += CACHE_S
        assert await impersonation.resolve_name("Mona", guild) == "Mona (persona)"

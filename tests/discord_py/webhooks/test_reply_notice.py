from __future__ import annotations

from delivery.stage import on_stage
from delivery.voices import insist, shown
from streamcord import Message
from streamcord._delivery.parcel import seal
from streamcord._discord.webhooks.appearance import Costume
from streamcord._discord.webhooks.reply_notice import add_notice
from streamcord._discord.webhooks.webhooks import Webhooks
from streamcord._events import Speaker
from virtual import timeless


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
        noticed = add_notice(Costume("Luna", "Hi."), asked, embeds=False)

        assert noticed is not None
        assert noticed.content.splitlines()[0].startswith("-# ↩ [httpsevil.example everyone  x](<https://")

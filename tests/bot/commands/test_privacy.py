"""People see, take along and delete what is kept about them, and no one else's."""

from __future__ import annotations

import json

from bot.commands.using import with_commands
from streamcord.store import Change, Memory, Place
from streamcord.testing import ScriptedProvider
from streamcord_bot.commands.privacy import collect


async def test_somebody_sees_what_is_kept_and_has_it_forgotten() -> None:
    async with with_commands() as user:
        me, guest = user.stage.twin.user.id, user.guest.id
        for number, who in enumerate((me, me, guest)):
            await user.store.remember(
                Memory("Luna", user.place, f"answer {number}", (100 + number,), (), who)
            )
        await user.store.record_change(Change(user.place, me, "settings set"))
        shown = await user.says("privacy show")
        assert "were sent in: 2." in shown
        assert "90 days" in shown
        assert "from_now_on" in shown
        kept = await collect(user.stage.app.store, user.stage.app.budget, me)
        assert [one["text"] for one in kept["answers"]] == ["answer 0", "answer 1"]
        assert json.loads(json.dumps(kept))["changes"][0]["action"] == "settings set"
        assert "in all channels: 2" in await user.says("privacy forget")
        assert await user.store.memories_of(me) == ()
        assert len(await user.store.memories_of(guest)) == 1


async def test_the_export_is_a_file_that_only_its_owner_gets() -> None:
    async with with_commands() as user:
        await user.store.remember(Memory("Luna", user.place, "just for you ä", (100,), (), user.guest.id))
        answer = await user.use("privacy export", user.guest)
        assert answer.draft.flags & (1 << 6)
        (file,) = answer.draft.attachments
        assert file.filename == "about-me.json"
        assert json.loads(file.content)["asked_for_today"] == {"requests": 0, "tokens": 0, "money": "$0.00"}


async def test_who_does_not_want_to_be_remembered_is_not_until_they_say_so() -> None:
    model = ScriptedProvider(["One."], ["Two."])
    async with with_commands(model) as user:
        stage, me = user.stage, user.stage.twin.user.id
        assert "no answer to you is remembered" in await user.says("privacy forget", from_now_on=True)
        assert "no answer to you is remembered" in await user.says("privacy show")
        stage.ask("hi")
        await stage.twin.until(lambda: "One." in stage.twin.channel.texts)
        await stage.quiet()
        assert await user.store.memories_of(me) == ()
        assert "again" in await user.says("privacy remember")
        stage.ask("hi again")
        await stage.twin.until(lambda: "Two." in stage.twin.channel.texts)
        await stage.quiet()
        assert [one.text for one in await user.store.memories_of(me)] == ["Two."]
        assert await user.store.recall("Luna", Place(1, 1)) == ()

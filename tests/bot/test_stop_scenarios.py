"""Stop, supersede, concurrency: scenarios S that need the bot."""

from __future__ import annotations

import asyncio

import pytest

from bot.models import Model, asked
from bot.stage import make_config, on_stage
from discord_twin import FaultKind, Interaction, Message, Twin
from streamcord import ToolCall
from streamcord.providers import tool
from streamcord.store import Account, open_store
from streamcord.testing import ScriptedProvider
from streamcord_bot.budget.limits import Payer
from twin.conftest import FREE

PACED = make_config(
    settings={"typing": "on", "typing_delay_min": 30.0, "typing_delay_max": 60.0, "max_typing_lag": 3600.0}
)
"""Messages wait so long that only a stop ends the wait."""
BUTTONS = make_config(answer={"debounce": 0.0, "buttons": True})


def buttons_of(message: Message) -> list[str]:
    """What can be pressed below a message: the acts, in order."""
    rows = [row.get("components", []) for row in message.draft.components]
    return [button["custom_id"].split(":")[1] for row in rows for button in row]


def button(message: Message, act: str) -> str:
    rows = [row["components"] for row in message.draft.components]
    return next(str(one["custom_id"]) for row in rows for one in row if f":{act}:" in one["custom_id"])


async def answer_to(twin: Twin, interaction: Interaction) -> str:
    """What only its user sees."""
    await twin.until(lambda: interaction.original or interaction.callback)
    message = await twin.until(lambda: interaction.original)
    return message.content


async def test_s01_a_stop_before_the_first_word_leaves_no_message() -> None:
    model = Model([asyncio.Event()])
    async with on_stage(model) as stage:
        stage.ask("hi")
        await model.called()
        assert await answer_to(stage.twin, stage.twin.slash("stop")) == "Stopped."
        await stage.quiet()

        assert stage.said() == []
    assert model.closed == 1


async def test_s03_s05_stop_during_typing_ends_the_wait_and_allows_one_more_message_at_most() -> None:
    model = ScriptedProvider(["One.\nTwo.\nThree.\nFour.\n"])
    async with on_stage(model, config=PACED) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["One."]
        stage.twin.slash("stop")
        async with asyncio.timeout(3):
            await stage.quiet()

        texts = [one.content for one in stage.twin.channel.messages.values() if one.by_machine]
    assert "Three." not in texts
    assert len([text for text in texts if text.endswith(".") and text != "Stopped."]) <= 2


@pytest.mark.parametrize(("stop", "count"), [("next", 2), ("flush", 4), ("now", 1)])
@pytest.mark.parametrize("way", ["command", "button"])
async def test_stop_setting_decides_about_text_already_received(stop: str, count: int, way: str) -> None:
    answer = {"debounce": 0.0, "buttons": True, "stop": stop}
    settings = {"typing": "on", "typing_delay_min": 30.0, "typing_delay_max": 60.0}
    model = Model(["One.\nTwo.\nThree.\nFour.\n", asyncio.Event()])
    async with on_stage(model, config=make_config(answer=answer, settings=settings)) as stage:
        stage.ask("count")
        first = await stage.twin.next_message()
        await stage.settled()
        if way == "command":
            stage.twin.slash("stop")
        else:
            stage.twin.press(first, button(first, "stop"))
        async with asyncio.timeout(3):
            await stage.quiet()
        # Waiting messages may be merged.
        lines = "\n".join(one.content for one in stage.said()).split("\n")

    assert lines == ["One.", "Two.", "Three.", "Four."][:count]


async def test_s06_a_stop_after_the_end_does_not_touch_the_next_answer() -> None:
    model = ScriptedProvider(["First."], ["Second."])
    async with on_stage(model) as stage:
        stage.ask("one")
        await stage.texts(1)
        await stage.quiet()
        assert await answer_to(stage.twin, stage.twin.slash("stop")) == "Nothing to stop here."
        assert await stage.texts(1) == ["Nothing to stop here."]
        stage.ask("two")
        assert await stage.texts(1) == ["Second."]


async def test_s07_s08_others_may_not_stop_moderators_may() -> None:
    release = asyncio.Event()
    model = Model(["One.\nT", release, "wo."])
    async with on_stage(model) as stage:
        twin = stage.twin
        bob = twin.add_user("bob")
        stage.ask("hi", user=bob)
        assert await stage.texts(1) == ["One."]
        other = twin.add_user("carol")
        refusal = await answer_to(twin, twin.slash("stop", twin.channel, other))
        assert "the person who asked" in refusal
        # Alice owns the server, so she may manage messages.
        assert await answer_to(twin, twin.slash("stop", twin.channel, twin.user)) == "Stopped."
        await stage.quiet()

        assert "Two." not in twin.channel.texts


async def test_s09_a_hundred_stops_are_one() -> None:
    model = Model(["One.\nT", asyncio.Event()])
    async with on_stage(model) as stage:
        stage.ask("hi")
        await stage.texts(1)
        asked_for = [stage.twin.slash("stop") for _ in range(30)]
        await stage.quiet()
        for one in asked_for:
            assert await answer_to(stage.twin, one) in {"Stopped.", "Nothing to stop here."}

    assert model.closed == 1


async def test_s10_a_follow_up_interrupts_and_is_answered_with_what_was_asked_before() -> None:
    model = Model(["Well, first of all\nl", asyncio.Event(), "ate"], ["Now both."])
    async with on_stage(model) as stage:
        stage.ask("what is a cat?")
        assert await stage.texts(1) == ["Well, first of all"]
        follow_up = stage.ask("and a dog?")
        answer = await stage.twin.next_message()
        await stage.quiet()

        assert answer.content == "Now both."
        assert answer.draft.reply_ids == (stage.twin.channel.id, follow_up.id)
        assert "late" not in stage.twin.channel.texts
    assert model.closed == 2
    assert "what is a cat?" in str(model.prompts[1])
    assert asked(model.prompts[1]).endswith("and a dog?")


async def test_s11_two_people_in_one_channel_are_answered_one_after_the_other() -> None:
    release = asyncio.Event()

    def answer(prompt: object) -> list[str | asyncio.Event]:
        # What is remembered may stand behind the question.
        who = asked(prompt).rpartition("I am ")[2].partition("\n")[0]  # type: ignore[arg-type]
        return [f"{who} one\n{who}", release, f" two\n{who} three"]

    async with on_stage(Model(answer)) as stage:
        bob = stage.twin.add_user("bob")
        stage.ask("I am alice")
        stage.ask("I am bob", user=bob)
        assert await stage.texts(1) == ["alice one"]
        release.set()
        rest = await stage.texts(5)

    assert rest == ["alice two", "alice three", "bob one", "bob two", "bob three"]


async def test_quick_messages_of_one_person_are_one_question() -> None:
    model = Model(["Too early."], ["All at once."])
    async with on_stage(model, config=make_config(answer={"debounce": 0.3})) as stage:
        stage.ask("hey")
        await model.called()
        stage.twin.say(stage.twin.channel, stage.twin.user, "are you there")
        last = stage.twin.say(stage.twin.channel, stage.twin.user, "it is me")
        answer = await stage.twin.next_message()
        await stage.quiet()

    assert answer.draft.reply_ids == (stage.twin.channel.id, last.id)
    assert answer.content == "All at once."
    assert asked(model.prompts[-1]).count("alice:") == 3
    assert len(stage.said()) == 1


async def test_first_words_do_not_wait_for_a_second_message() -> None:
    async with on_stage(Model(["Here I am."]), config=make_config(answer={"debounce": 60})) as stage:
        stage.ask("are you there?")

        assert await stage.texts(1) == ["Here I am."]


async def test_second_message_takes_first_words_back_and_both_requests_are_charged() -> None:
    model = Model(["Too early.\nAnd", asyncio.Event()], ["All at once."])
    async with on_stage(model, config=make_config(answer={"debounce": 2.0})) as stage:
        stage.ask("hey")
        early = await stage.twin.next_message()
        stage.twin.say(stage.twin.channel, stage.twin.user, "are you there")
        answer = await stage.twin.next_message(timeout=30.0)
        await stage.quiet()
        charged = await stage.app.budget.totals(Payer(stage.twin.user.id, stage.twin.guild.id))

    assert (early.content, answer.content) == ("Too early.", "All at once.")
    assert [one.id for one in stage.said()] == [answer.id]
    assert charged[Account("all")].requests == len(model.prompts) == 2


async def test_an_edited_question_is_answered_anew_and_the_old_answer_goes() -> None:
    model = Model(["Cats are.\nF", asyncio.Event()], ["Dogs are fine."])
    async with on_stage(model) as stage:
        question = stage.ask("what are cats?")
        old = await stage.twin.next_message()
        stage.twin.edit(question, f"<@{stage.twin.bot.id}> what are dogs?")
        assert await stage.texts(1) == ["Dogs are fine."]
        await stage.quiet()

        assert old.id not in stage.twin.channel.messages
    assert asked(model.prompts[1]).endswith("what are dogs?")


async def test_a_deleted_question_stops_its_answer() -> None:
    model = Model(["Cats are\nl", asyncio.Event(), "ate"])
    async with on_stage(model) as stage:
        question = stage.ask("what are cats?")
        await stage.texts(1)
        stage.twin.delete(question)
        await stage.quiet()

        assert stage.twin.channel.texts == ["Cats are"]
    assert model.closed == 1


async def test_s16_the_flood_cap_ends_with_one_notice_and_the_rest_in_a_file() -> None:
    # Too long to be merged below the cap.
    lines = [f"line {number} is long{' and longer' * 100}.\n" for number in range(60)]
    async with on_stage(ScriptedProvider(lines)) as stage:
        stage.ask("flood")
        await stage.twin.until(lambda: any(one.attachments for one in stage.said()), 20)
        await stage.quiet()
        *said, last = stage.said()

    assert [one.content for one in said] == [line.strip() for line in lines[:40]]
    assert last.attachments[0].filename == "rest.txt"
    assert last.attachments[0].content.startswith(b"line 40 ")


async def test_s17_a_shutdown_lets_running_answers_say_what_they_have() -> None:
    model = Model(["One.\nTwo.\nThree.", asyncio.Event()])
    async with Twin(FREE) as twin:
        channels = [twin.add_channel(f"room-{number}") for number in range(10)]
        async with on_stage(model, config=PACED, twin=twin) as stage:
            for channel in channels:
                stage.ask("hi", channel)
            for channel in channels:
                assert await stage.texts(1, channel) == ["One."]
            async with asyncio.timeout(15):
                await stage.bot.close()

        for channel in channels:
            said = [one.content for one in channel.messages.values() if one.by_machine]
            assert "\n".join(said) == "One.\nTwo.\nThree."
    assert model.closed == 10


async def test_the_stop_button_comes_with_a_long_answer_and_ends_it() -> None:
    model = Model(["One.\nT", asyncio.Event(), "wo."])
    async with on_stage(model, config=BUTTONS) as stage:
        stage.ask("hi")
        first = await stage.twin.next_message()
        await stage.twin.until(lambda: "stop" in buttons_of(first))
        stranger = stage.twin.press(first, button(first, "stop"), stage.twin.add_user("mallory"))
        assert "the person who asked" in await answer_to(stage.twin, stranger)
        stage.twin.press(first, button(first, "stop"))
        await stage.quiet()

        said = stage.said()
        assert [buttons_of(one) for one in said[:-1]] == [[]] * (len(said) - 1)
        assert buttons_of(said[-1]) == ["again", "more"]
        assert "Two." not in stage.twin.channel.texts


async def test_again_replaces_the_answer_and_continue_goes_on_with_it() -> None:
    model = ScriptedProvider(["First try."], ["Second try."], ["And more."])
    async with on_stage(model, config=BUTTONS) as stage:
        twin = stage.twin
        question = stage.ask("hi")
        first = await twin.next_message()
        await twin.until(lambda: "again" in buttons_of(first))
        await stage.quiet()
        stranger = twin.press(first, button(first, "again"), twin.add_user("mallory"))
        assert "<@" in await answer_to(twin, stranger)
        await stage.texts(1)
        twin.press(first, button(first, "again"))
        # The second answer takes the place of the first one.
        await twin.until(lambda: first.content == "Second try." and "more" in buttons_of(first))
        assert first.draft.reply_ids == (twin.channel.id, question.id)
        second = first
        await stage.quiet()
        twin.press(second, button(second, "more"))
        third = await twin.next_message()
        await stage.quiet()

        assert third.content == "And more."
        await twin.until(lambda: not buttons_of(second))
        assert buttons_of(third) == ["again", "more"]
    assert "First try." not in str(model.prompts[1])
    assert "Second try." in str(model.prompts[2])


async def test_the_buttons_of_an_answer_outlive_a_restart() -> None:
    store = await open_store(":memory:")
    async with Twin(FREE) as twin:
        before = ScriptedProvider(["Before.\nStill before."])
        async with on_stage(before, config=BUTTONS, twin=twin, store=store) as stage:
            stage.ask("hi")
            first, last = await twin.next_message(), await twin.next_message()
            await twin.until(lambda: "again" in buttons_of(last))
            await stage.quiet()
        after = ScriptedProvider(["After."])
        async with on_stage(after, config=BUTTONS, twin=twin, store=store) as stage:
            # The buttons are found again, but not how to edit the two messages.
            twin.press(last, button(last, "again"))
            assert await stage.texts(1) == ["After."]
            await twin.until(lambda: not {first.id, last.id} & twin.channel.messages.keys())
    await store.close()


async def test_words_before_a_slow_tool_stand_while_it_runs_and_a_stop_ends_the_tool() -> None:
    model = Model(["Let me see.", ToolCall("1", "nap")])
    napping, ended = asyncio.Event(), asyncio.Event()

    @tool
    async def nap() -> str:
        """Sleep."""
        napping.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    async with on_stage(model, tools=[nap]) as stage:
        stage.ask("sleep")
        assert await stage.texts(1) == ["Let me see."]
        await napping.wait()
        stage.twin.slash("stop")
        await stage.quiet()
        async with asyncio.timeout(5):
            await ended.wait()


async def test_a_webhook_that_is_lost_in_mid_answer_is_made_anew() -> None:
    go_on = asyncio.Event()
    model = Model(["One.\nT", go_on, "wo."])
    config = make_config(personas={"Luna": {"alter": True}})
    async with on_stage(model, config=config) as stage:
        stage.ask("hi")
        first = await stage.twin.next_message()
        stage.twin.inject_fault(FaultKind.WEBHOOK_DELETE, "webhooks.execute")
        go_on.set()
        second = await stage.twin.next_message()
        await stage.quiet()

    assert [first.shown_name, first.content] == ["Luna", "One."]
    assert [second.shown_name, second.content] == ["Luna", "Two."]
    assert first.webhook is not second.webhook


async def test_s12_many_channels_at_once_are_answered_apart() -> None:
    model = Model(lambda prompt: [f"{(mark := asked(prompt).rpartition(' ')[2])} one\n", f"{mark} two"])
    async with Twin(FREE) as twin:
        rooms = [twin.add_channel(f"room-{number}") for number in range(20)]
        async with on_stage(model, twin=twin) as stage:
            for turn in range(2):
                for room in rooms:
                    stage.ask(f"say {room.name}-{turn}", room)
                for room in rooms:
                    said: list[str] = []
                    # Lines that come late because Discord is busy may share a message.
                    while len(said) < 2:
                        said += (await twin.next_message(room, 20)).content.split("\n")
                    assert said == [f"{room.name}-{turn} one", f"{room.name}-{turn} two"]
                await stage.quiet()

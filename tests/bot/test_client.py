"""The real bot and discord.py on the twin: whom it answers, what the model reads, what is remembered."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from discord.gateway import DiscordWebSocket

from bot.models import Model, asked
from bot.stage import make_config, on_stage
from discord_twin import Twin
from streamcord import ThoughtDelta, ToolCall
from streamcord.providers import AssistantMessage, Image, Text, UserMessage, tool
from streamcord.store import Place, open_store
from streamcord.testing import ScriptedProvider
from twin.conftest import FREE

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c489".replace(" ", "")
) + bytes.fromhex("0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082")
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


async def test_a_mention_is_answered_as_a_reply() -> None:
    model = ScriptedProvider(["Hello ", "there."])
    async with on_stage(model) as stage:
        question = stage.ask("hi!")
        answer = await stage.twin.next_message()

    assert answer.content == "Hello there."
    assert answer.draft.reply_ids == (stage.twin.channel.id, question.id)
    assert stage.twin.log.typing
    assert stage.pinged == set()


async def test_direct_messages_replies_names_and_chosen_channels_are_answered_and_nothing_else() -> None:
    model = Model(lambda prompt: [f"you said {asked(prompt).rpartition(': ')[2]}"])
    async with on_stage(model) as stage:
        twin = stage.twin
        twin.say(twin.dm(), twin.user, "psst")
        assert await stage.texts(1, twin.dm()) == ["you said psst"]
        twin.say(twin.channel, twin.user, "nobody is meant")
        twin.say(twin.channel, twin.user, "is Luna there")
        first = await twin.next_message()
        assert first.content == "you said is Luna there"
        twin.say(twin.channel, twin.user, "and you", reply_to=first)
        assert await stage.texts(1) == ["you said and you"]
        await stage.quiet()

    assert len(model.prompts) == 3


async def test_the_model_reads_the_channel_with_its_own_words_as_its_turns() -> None:
    model = ScriptedProvider(["First answer."], ["Second answer."])
    async with on_stage(model) as stage:
        stage.ask("one")
        await stage.texts(1)
        await stage.quiet()
        stage.twin.say(stage.twin.channel, stage.twin.add_user("bob"), "by the way")
        stage.ask("two")
        await stage.texts(1)

    before, said, after = model.prompts[1].messages
    assert before == UserMessage((Text("alice: @streamcord one"),))
    assert said == AssistantMessage((Text("First answer."),))
    assert after == UserMessage((Text("bob: by the way\n"), Text("alice: @streamcord two")))
    assert model.prompts[1].system.startswith("You are Luna, a cat.")


async def test_what_a_moderator_deleted_never_happened() -> None:
    model = ScriptedProvider(["A secret. <details>mood: sly</details>"], ["Nothing."])
    async with on_stage(model) as stage:
        question = stage.ask("tell me")
        secret = await stage.twin.next_message()
        await stage.quiet()
        assert await stage.store.recall("Luna", Place(stage.twin.guild.id, stage.twin.channel.id))
        stage.twin.delete(question)
        stage.twin.delete(secret)
        await stage.settled()
        assert not await stage.store.recall("Luna", Place(stage.twin.guild.id, stage.twin.channel.id))
        stage.ask("what did you say?")
        await stage.texts(1)

    assert "secret" not in str(model.prompts[1])
    assert "sly" not in str(model.prompts[1])


async def test_details_reach_the_next_prompt_and_thoughts_their_channel() -> None:
    model = ScriptedProvider(
        ["<think>easy</think>", ThoughtDelta("hm "), "Purr.", "<details>mood: happy</details>"], ["Again."]
    )
    twin_config = make_config()
    async with on_stage(model, config=twin_config) as stage:
        log = stage.twin.add_channel("thoughts")
        place = Place(stage.twin.guild.id)
        await stage.store.change_settings(
            place, {"thought_log": log.id, "by.thought_log": stage.twin.user.id}
        )
        stage.ask("hello")
        assert await stage.texts(1) == ["Purr."]
        thought = await stage.twin.next_message(log)
        await stage.quiet()
        stage.ask("how are you?")
        await stage.texts(1)

    (embed,) = thought.draft.embeds
    assert embed["description"] == "easy\n\nhm"
    assert embed["url"].startswith("https://discord.com/channels/")
    assert "mood: happy" not in model.prompts[1].system
    assert "mood: happy" in str(model.prompts[1].messages[-1])


async def test_words_before_a_tool_call_are_sent_before_what_follows_it() -> None:
    model = ScriptedProvider(["Let me see.", ToolCall("1", "roll_dice", {"dice": "1d6"})], ["Done."])
    async with on_stage(model) as stage:
        stage.ask("roll")
        assert await stage.texts(2) == ["Let me see.", "Done."]

    result = model.prompts[1].messages[-1]
    assert "1d6: " in str(result)
    assert [spec.name for spec in model.prompts[0].tools] == [
        "roll_dice",
        "time_in",
        "show_table_source",
        "offer_choices",
    ]


async def test_a_slow_tool_is_shown_in_one_quiet_line_that_goes_away() -> None:
    done = asyncio.Event()

    @tool
    async def wait_for_it() -> str:
        """Take a while."""
        await done.wait()
        return "ok"

    model = ScriptedProvider([ToolCall("1", "wait_for_it")], ["There."])
    async with on_stage(model, tools=[wait_for_it]) as stage:
        stage.ask("go")
        line = await stage.twin.next_message()
        assert line.content == "-# uses wait_for_it …"
        done.set()
        assert await stage.texts(1) == ["There."]
        await stage.quiet()

        assert line.id not in stage.twin.channel.messages


async def test_a_table_is_a_picture_whose_source_can_be_asked_for() -> None:
    model = ScriptedProvider([TABLE], [ToolCall("1", "show_table_source", {})], ["Here."])
    async with on_stage(model) as stage:
        stage.ask("a table")
        picture = await stage.twin.next_message()
        await stage.quiet()
        stage.ask("its source")
        source, here = await stage.texts(2)

    assert picture.attachments[0].filename == "table.png"
    assert picture.attachments[0].description == "a | b\n1 | 2"
    assert TABLE.strip() in source
    assert here == "Here."
    assert model.prompts[1].messages[1] == AssistantMessage((Text(TABLE.strip()),))


async def test_the_card_of_a_table_has_a_button_for_its_source_and_keeps_its_picture() -> None:
    model = ScriptedProvider([f"Look:\n\n{TABLE}"], ["Here."])
    config = make_config(
        settings={"tables": "card", "degree": 0, "typing": "off"}, answer={"buttons": True, "debounce": 0.0}
    )
    async with on_stage(model, config=config) as stage:
        stage.ask("a table")
        await stage.twin.next_message()
        card = await stage.twin.next_message()
        await stage.quiet()
        frame, row = card.draft.components
        (source,) = frame["components"][-1]["components"]
        shown = stage.twin.press(card, source["custom_id"])
        told = await stage.twin.until(lambda: shown.original)
        more = next(one["custom_id"] for one in row["components"] if ":more:" in one["custom_id"])
        stage.twin.press(card, more)
        await stage.twin.until(lambda: [one["type"] for one in card.draft.components] == [17])
        await stage.quiet()

    assert [file.filename for file in told.attachments] == ["source.md"]
    assert [one["type"] for one in card.draft.components[0]["components"]] == [12, 10, 1]


@pytest.mark.parametrize("settings", [{"degree": 2}, {"degree": 0, "delivery": "live"}], ids=str)
async def test_a_diagram_and_a_formula_are_pictures_with_a_button_for_their_source(
    settings: dict[str, object],
) -> None:
    flow = "```mermaid\ngraph LR\n  A[Ask] --> B[Answer]\n```"
    model = ScriptedProvider([f"Look:\n\n{flow}\n\nAnd this:\n\n$$\\ket{{a}}$$\n\nThat is all."], ["Yes."])
    config = make_config(settings={**settings, "typing": "off"}, answer={"buttons": True, "debounce": 0.0})
    async with on_stage(model, config=config) as stage:
        stage.ask("draw it")
        texts = await stage.texts(5)
        await stage.quiet()
        diagram, formula = (one for one in stage.said() if one.attachments)
        frame = diagram.draft.components[0]
        picture, row = frame["components"]
        shown = stage.twin.press(diagram, row["components"][0]["custom_id"])
        told = await stage.twin.until(lambda: shown.original)
        stage.ask("what did you draw?")
        await stage.twin.until(lambda: len(model.prompts) > 1)
        await stage.quiet()

    assert texts == ["Look:", "", "And this:", "", "That is all."]
    assert picture["items"][0]["description"] == "A flowchart: Ask leads to Answer"
    assert formula.draft.components[0]["components"][0]["items"][0]["description"] == "A formula: ket a"
    assert [file.filename for file in told.attachments] == ["source.md"]
    # The model reads in the channel what it has drawn.
    assert "A[Ask] --> B[Answer]" in "".join(str(one) for one in model.prompts[1].messages)


async def test_pictures_and_text_files_are_shown_to_the_model() -> None:
    model = ScriptedProvider(["I see."])
    async with on_stage(model) as stage:
        stage.ask("look", files={"cat.png": PIXEL, "notes.txt": b"buy milk", "run.exe": b"\0\1"})
        await stage.texts(1)

    (message,) = model.prompts[0].messages
    assert isinstance(message, UserMessage)
    text, image = message.parts
    assert isinstance(text, Text)
    assert "buy milk" in text.text
    assert "[file run.exe: it cannot be read]" in text.text
    assert image == Image(PIXEL, "image/png")


async def test_with_replies_as_context_only_the_chain_is_read() -> None:
    model = ScriptedProvider(["One."], ["Two."])
    config = make_config(context={"source": "replies"})
    async with on_stage(model, config=config) as stage:
        stage.ask("first")
        answer = await stage.twin.next_message()
        await stage.quiet()
        stage.twin.say(stage.twin.channel, stage.twin.user, "chatter")
        stage.twin.say(stage.twin.channel, stage.twin.user, "second", reply_to=answer)
        await stage.texts(1)

    assert "chatter" not in str(model.prompts[1])
    assert [type(message) for message in model.prompts[1].messages] == [
        UserMessage,
        AssistantMessage,
        UserMessage,
    ]


async def test_cached_reply_chain_is_not_fetched() -> None:
    """Else one question would be as many requests as its chain has messages, of all that a bot has."""
    model = ScriptedProvider(["One."], ["Two."])
    config = make_config(context={"source": "replies"})
    async with on_stage(model, config=config) as stage:
        twin = stage.twin
        last = stage.ask("first")
        await stage.texts(1)
        await stage.quiet()
        for number in range(20):
            last = twin.say(twin.channel, twin.user, f"link {number}", reply_to=last)
        asked = len(twin.log.requests)
        stage.ask("second", reply_to=last)
        await stage.texts(1)
        read = [one.route for one in list(twin.log.requests)[asked:] if one.method == "GET"]

    assert all(f"link {number}\n" in str(model.prompts[-1]).replace("\\n", "\n") for number in range(20))
    assert read == []


async def test_empty_answer_is_retried_twice_and_then_gets_a_notice() -> None:
    model = ScriptedProvider([""], [" "], [""])
    async with on_stage(model) as stage:
        stage.ask("say nothing")
        notice = await stage.twin.next_message()

    assert notice.draft.embeds[0]["description"].startswith("The model returned nothing")
    assert model.opened == 3


async def test_settings_outlive_a_restart(tmp_path: Path) -> None:
    async with Twin(FREE) as twin:
        for _ in range(2):
            store = await open_store(tmp_path / "kept.db")
            async with on_stage(ScriptedProvider(["One.\nTwo."]), twin=twin, store=store) as stage:
                if not await store.settings(Place(twin.guild.id)):
                    await store.change_settings(Place(twin.guild.id), {"degree": 0})
                stage.ask("hi")
                assert await stage.texts(1) == ["One.\nTwo."]
            await store.close()


@pytest.mark.parametrize("shards", [0, 2])
async def test_configured_shard_count_is_used(shards: int) -> None:
    config = make_config(discord={"shard_count": shards})
    async with on_stage(ScriptedProvider(["Hello."]), config=config) as stage:
        stage.ask("hi")
        assert await stage.texts(1) == ["Hello."]

        assert stage.bot.shard_count == (shards or 1)


async def test_a_bot_that_ends_while_its_shards_log_in_does_not_try_for_ever() -> None:
    async with on_stage(ScriptedProvider(["Hello."])) as stage:
        await stage.bot.close()
        logins = stage.twin.gateway.identifies
        async with asyncio.timeout(30):
            await stage.bot.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, 0)

        assert stage.twin.gateway.identifies == logins

"""What a moderator holds back reaches neither the model nor people, through `say` and through the bot."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.models import Model
from bot.stage import make_config, on_stage
from discord_twin import Message as TwinMessage
from streamcord import (
    Attachment,
    Message,
    Moderated,
    ModerationStage,
    Settings,
    ThoughtDelta,
    WordList,
    say,
)
from streamcord.store import Place
from streamcord.testing import FakeChannel, ScriptedProvider
from streamcord_bot.policy.permissions import setter_key

LIST = WordList(["badword"])


async def test_a_message_that_is_held_back_ends_the_answer_with_a_notice() -> None:
    channel = FakeChannel()
    model = ScriptedProvider(["Fine.\n", "A bad", "word.\n", "More.\n"])
    with pytest.raises(Moderated) as caught:
        await say(channel, model, moderators=[LIST], settings=Settings(typing="off"))

    assert channel.texts == ["Fine.", "-# A part of this answer was held back by a filter."]
    assert caught.value.reason == "a word of the list"
    assert caught.value.result is not None
    assert "moderated" in [one.reason for one in caught.value.result.dropped]
    assert model.closed == 1


async def test_a_message_that_would_grow_is_shown_only_when_it_was_looked_at() -> None:
    words = [f"This is sentence number {number} of a long answer. " for number in range(30)]
    model = Model([*words, "And here is a bad", "word at its end."])
    config = make_config(moderation={"words": ["badword"]}, settings={"delivery": "live", "typing": "off"})
    async with on_stage(model, config=config) as stage:
        stage.ask("a long one, please")
        await model.called(1)
        await stage.quiet()
        sent = [str(one.body) for one in stage.twin.log.requests if one.method in {"POST", "PATCH"}]

    assert any("held back by a filter" in body for body in sent)
    assert not any("sentence" in body for body in sent)


async def test_or_only_that_message_is_left_out() -> None:
    async def source() -> AsyncIterator[str | Message]:
        yield "One.\n| badword |\n|---|\n| 1 |\n\n"
        yield Message("by a tool", files=(Attachment("list.txt", b"a badword in a file"),))
        yield "Two."

    channel = FakeChannel()
    settings = Settings(typing="off", on_filtered="continue")
    result = await say(channel, source(), moderators=[LIST], settings=settings)

    assert [text for text in channel.texts if not text.startswith("-#")] == ["One.", "Two."]
    assert [one.reason for one in result.dropped].count("moderated") == 2


async def test_the_bot_holds_back_questions_and_answers_of_its_file() -> None:
    config = make_config(moderation={"words": ["badword"]})
    model = Model(["This has a badword.\n", "And more."], ["All is well."])
    async with on_stage(model, config=config) as stage:
        stage.ask("say a BADWORD please")
        notice = await stage.twin.next_message()
        assert "blocked it" in str(notice.draft.embeds)
        assert model.prompts == []
        stage.ask("hello")
        await model.called(1)
        await stage.quiet()
        stage.ask("hello again")
        await stage.twin.until(lambda: "All is well." in stage.twin.channel.texts)
        await stage.quiet()
        shown = "\n".join(f"{one.content} {one.draft.embeds}" for one in stage.said())

    assert "badword" not in shown
    assert "held back by a filter" in shown


async def test_what_was_said_before_a_question_is_kept_from_the_model_too() -> None:
    """The one who asks is answered all the same; what has passed is looked at once, and again after an edit."""
    looked: list[str] = []

    class Watching(WordList):
        async def check(self, text: str, stage: ModerationStage, /) -> str:
            looked.append(text)
            return await super().check(text, stage)

    model = Model(["One."], ["Two."], ["Three."])
    async with on_stage(model, moderators=[Watching(["badword"], stages=["question"])]) as stage:
        twin = stage.twin
        calm = twin.say(twin.channel, twin.user, "a calm remark")
        twin.say(twin.channel, twin.user, "a bad\u200bword of mine")
        twin.say(twin.channel, twin.user, "a list", files={"list.txt": b"badword"})
        for number in (1, 2):
            stage.ask(f"question {number}")
            await stage.texts(1)
            await stage.quiet()
        assert sum("a calm remark" in text for text in looked) == 2  # with all the rest, and alone
        twin.edit(calm, "a badword after all")
        stage.ask("question 3")
        await twin.until(lambda: "Three." in twin.channel.texts)
        prompts = [str(prompt) for prompt in model.prompts]

    assert [("badword" in one, "\u200bword" in one) for one in prompts] == [(False, False)] * 3
    assert ["a calm remark" in one for one in prompts] == [True, True, False]


@pytest.mark.parametrize("change", ["words", "link card"])
async def test_a_question_that_changes_meanwhile_is_looked_at_as_it_is_read(change: str) -> None:
    """While a slow moderator looks at it, someone edits it, or Discord adds what a stranger's page says."""
    asked: list[TwinMessage] = []

    class Slow(WordList):
        async def check(self, text: str, stage: ModerationStage, /) -> str:
            if "look here" in text and len(asked) == 1:
                twin, message = play.twin, asked[0]
                if change == "words":
                    twin.edit(message, f"<@{twin.bot.id}> a badword")
                else:
                    draft = replace(message.draft, embeds=({"type": "article", "title": "badword"},))
                    twin.state.edit(twin.channel, message, draft)
                asked.append(message)
                await play.settled()
            return await super().check(text, stage)

    model = Model(["One."])
    async with on_stage(model, moderators=[Slow(["badword"], stages=["question"])]) as play:
        asked.append(play.ask("look here: https://example.com"))
        notice = await play.twin.next_message()

    assert "blocked it" in str(notice.draft.embeds)
    assert model.prompts == []


@pytest.mark.parametrize(("thought", "shown"), [("I know a badword.", False), ("All is calm.", True)])
async def test_thoughts_that_are_shown_are_looked_at_like_words(thought: str, shown: bool) -> None:
    model = Model([ThoughtDelta(thought), "Hello."])
    config = make_config(moderation={"words": ["badword"]})
    async with on_stage(model, config=config) as stage:
        log = stage.twin.state.add_channel(stage.twin.guild, "thoughts")
        owner = stage.twin.guild.owner_id
        await stage.app.store.change_settings(
            Place(stage.twin.guild.id), {"thought_log": log.id, setter_key("thought_log"): owner}
        )
        stage.ask("hi")
        await stage.twin.until(lambda: "Hello." in stage.twin.channel.texts)
        await stage.quiet()
        posted = [str(message.draft.embeds) for message in log.messages.values()]

    assert [thought in one for one in posted] == ([True] if shown else [])

"""A test of your bot with a scripted model and a fake channel."""

from streamcord import Ending, ToolCall, say
from streamcord.testing import FakeChannel, ScriptedProvider


async def test_words_before_a_tool_call_are_not_lost() -> None:
    model = ScriptedProvider(["<think>dice!</think>Let me see.\n", ToolCall("1", "roll_dice")])
    channel = FakeChannel()

    result = await say(channel, model)

    assert channel.texts == ["Let me see."]
    assert result.thoughts.raw == "dice!"
    assert result.ending is Ending.FUNCTION_CALL

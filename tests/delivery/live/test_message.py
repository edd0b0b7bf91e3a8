"""What is known of a message whose edit was not answered, on the twin with the real discord.py."""

from __future__ import annotations

import pytest

from delivery.stage import Stage, on_stage
from discord_twin import FaultKind
from streamcord import DeliveryUncertain, Message, MessageRefused, Settings, Speaker
from streamcord._delivery.clock import DeliveryClock
from streamcord._delivery.live.message import CompleteDraft, Edits, LiveMessage, cap_after, is_not_editable
from streamcord._discord.webhooks.sender import Webhooks
from streamcord.discord import DiscordChannel
from virtual_time import timeless

EDIT, BY_WEBHOOK = "messages.edit", "webhooks.message"
RICH = "word " * 500


async def begin(stage: Stage, *, voice: bool = False) -> LiveMessage:
    """A message that says "one" and may grow."""
    channel: DiscordChannel = stage.channel(webhooks=Webhooks(stage.client) if voice else None)
    speaker = Speaker("Luna") if voice else None
    message = Message("one", speaker=speaker)
    receipt = await channel.send(message)
    return LiveMessage(Edits(channel, DeliveryClock(), Settings()), receipt, CompleteDraft(message))


def as_draft(grown: LiveMessage, content: str) -> CompleteDraft:
    return CompleteDraft(Message(content, speaker=grown.receipt.message.speaker))


@pytest.mark.parametrize("voice", [False, True])
@pytest.mark.parametrize("text", ["one and two", RICH.strip()])
def test_an_edit_whose_answer_is_lost_is_found_by_reading(text: str, voice: bool) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage(deaf=True) as stage:
            grown = await begin(stage, voice=voice)
            # discord.py makes five tries, a webhook one; by the same road its message is read.
            stage.twin.inject_fault(
                FaultKind.COMMIT_THEN_DROP_ACK, BY_WEBHOOK if voice else EDIT, times=1 if voice else 5
            )
            await grown.edit(as_draft(grown, text))

            assert grown.says(Message(text))

    scene()


@timeless
async def test_failed_edit_is_reported_with_the_visible_text() -> None:
    async with on_stage() as stage:
        grown = await begin(stage, voice=True)
        stage.twin.inject_fault(FaultKind.CLOSE_BEFORE_COMMIT, BY_WEBHOOK)
        with pytest.raises(DeliveryUncertain):
            await grown.edit(as_draft(grown, "one and two"))

        assert grown.says(Message("one"))


@timeless
async def test_where_nothing_can_be_read_the_doubt_stays_until_an_edit_is_answered() -> None:
    async with on_stage() as stage:
        grown = await begin(stage, voice=True)
        stage.twin.inject_fault(FaultKind.STATUS, BY_WEBHOOK, times=2)
        stage.twin.inject_fault(FaultKind.ERROR_CODE, "messages.get", code=50001)
        with pytest.raises(DeliveryUncertain):
            await grown.edit(as_draft(grown, "one and two"))
        assert not grown.confirmed
        await grown.edit(as_draft(grown, "one, two and three"))

        assert grown.says(Message("one, two and three"))
        assert grown.unconfirmed_edits == []


@timeless
async def test_an_edit_that_discord_made_before_somebody_deleted_the_message_was_seen() -> None:
    async with on_stage() as stage:
        grown = await begin(stage)
        # discord.py tries again by itself, and then the message is gone.
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_STATUS, EDIT)
        stage.twin.inject_fault(FaultKind.DELETE_MESSAGE, EDIT, after=1)
        await grown.edit(as_draft(grown, "one and two"))

        assert grown.says(Message("one and two"))
        with pytest.raises(MessageRefused) as caught:
            await grown.edit(as_draft(grown, "one, two and three"))
        assert is_not_editable(caught.value)
        grown.mark_deleted(caught.value)
        assert grown.receipt.changes == ("deleted",)


@timeless
async def test_malformed_response_is_confirmed_by_the_gateway() -> None:
    async with on_stage() as stage:
        grown = await begin(stage)
        stage.twin.inject_fault(FaultKind.ACK_GARBLED, EDIT)
        await grown.edit(as_draft(grown, "one and two"))

        assert grown.says(Message("one and two"))
        assert [record.route for record in stage.twin.log.requests if record.method == "GET"].count(
            "messages.get"
        ) == 0


def test_a_refusal_says_how_long_a_message_may_grow() -> None:
    shown, wanted = Message("x" * 40), Message("x" * 50)

    assert cap_after(MessageRefused("", code=1), shown, wanted) == 40
    assert cap_after(MessageRefused("", code=1, limit=30), shown, wanted) == 30
    assert cap_after(MessageRefused("", code=1), shown, Message("x" * 2500)) == 2000

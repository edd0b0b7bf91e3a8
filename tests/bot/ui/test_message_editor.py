"""Editing messages of webhooks remembers a bounded number of them."""

from __future__ import annotations

import discord
import pytest

from bot.stage import Stage, on_stage
from discord_twin import Fault, FaultKind, Permission
from streamcord.testing import ScriptedProvider
from streamcord_bot.ui.buttons import AnswerButton, make_buttons
from streamcord_bot.ui.message_editor import EditOutcome, MessageEditor


async def test_webhooks_of_many_channels_are_not_kept_for_ever() -> None:
    """The editor forgets the webhook that was used least lately, and finds it again when it is needed."""
    async with on_stage(ScriptedProvider([])) as stage:
        twin, editor = stage.twin, MessageEditor(max_webhooks=2)
        view = make_buttons(AnswerButton("again", 1, "ff"))
        messages: list[tuple[discord.TextChannel, int]] = []
        rooms = [twin.state.add_channel(twin.guild, f"room-{number}").id for number in range(3)]
        await twin.until(lambda: all(map(stage.bot.get_channel, rooms)))
        for room in rooms:
            channel = stage.bot.get_channel(room)
            assert isinstance(channel, discord.TextChannel)
            webhook = await channel.create_webhook(name="streamcord")
            messages.append((channel, (await webhook.send("Hello.", wait=True)).id))

        async def count_lookups(number: int) -> int:
            """Edit the message of a channel; return how often webhooks were listed for that."""
            before = twin.log.count("webhooks.list")
            channel, message = messages[number]
            assert await editor.set_buttons(channel, message, view, by_webhook=True)
            return twin.log.count("webhooks.list") - before

        looked_up = [await count_lookups(number) for number in (0, 0, 1, 0, 2, 0, 1)]

    assert looked_up == [1, 0, 1, 0, 1, 0, 1]


async def card(stage: Stage, *, by_webhook: bool) -> tuple[discord.TextChannel, int]:
    """Send a Components V2 message with a text, something else, and a stop button."""
    channel = stage.bot.get_channel(stage.twin.channel.id)
    assert isinstance(channel, discord.TextChannel)
    layout = discord.ui.LayoutView(timeout=None)
    layout.add_item(discord.ui.TextDisplay("Words."))
    layout.add_item(discord.ui.Container(discord.ui.TextDisplay("Rows.")))
    layout.add_item(discord.ui.ActionRow(*make_buttons(AnswerButton("stop", 1, "ff")).children))
    if by_webhook:
        webhook = await channel.create_webhook(name="streamcord")
        return channel, (await webhook.send(view=layout, wait=True)).id
    return channel, (await channel.send(view=layout)).id


@pytest.mark.parametrize("by_webhook", [False, True])
async def test_stop_button_of_a_card_is_removed_where_the_history_may_not_be_read(by_webhook: bool) -> None:
    async with on_stage(ScriptedProvider([])) as stage:
        channel, id_ = await card(stage, by_webhook=by_webhook)
        stage.twin.state.overwrite(
            stage.twin.channel, stage.twin.bot.user, deny=Permission.READ_MESSAGE_HISTORY
        )
        await stage.twin.until(lambda: not channel.permissions_for(channel.guild.me).read_message_history)
        editor = MessageEditor()
        outcome = await editor.set_buttons(
            channel, id_, None, by_webhook=by_webhook, words="Words.", card=True
        )
        components = str(stage.twin.channel.messages[id_].draft.components)

    assert outcome is EditOutcome.DONE
    assert "sc:stop" not in components
    assert "Words." in components
    assert "Rows." in components


async def test_card_is_not_rewritten_from_a_text_that_may_be_old() -> None:
    """Without the history, the gateway's copy may lack the newest words: the button waits for the permission."""
    async with on_stage(ScriptedProvider([])) as stage:
        channel, id_ = await card(stage, by_webhook=False)
        stage.twin.state.overwrite(
            stage.twin.channel, stage.twin.bot.user, deny=Permission.READ_MESSAGE_HISTORY
        )
        await stage.twin.until(lambda: not channel.permissions_for(channel.guild.me).read_message_history)
        editor, words = MessageEditor(), "Words. More of them."
        blocked = await editor.set_buttons(channel, id_, None, words=words, card=True)
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user)
        await stage.twin.until(lambda: channel.permissions_for(channel.guild.me).read_message_history)
        done = await editor.set_buttons(channel, id_, None, words=words, card=True)
        components = str(stage.twin.channel.messages[id_].draft.components)

    assert (blocked, done) == (EditOutcome.BLOCKED, EditOutcome.DONE)
    assert "sc:stop" not in components
    assert "Rows." in components


@pytest.mark.parametrize("what", ["buttons", "deletion"])
async def test_message_is_changed_by_the_webhook_that_sent_it(what: str) -> None:
    """A channel has several webhooks of ours after one was moved there."""
    async with on_stage(ScriptedProvider([])) as stage:
        channel = stage.bot.get_channel(stage.twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        webhooks = [await channel.create_webhook(name="streamcord") for _ in range(2)]
        view, editor = make_buttons(AnswerButton("stop", 1, "ff")), MessageEditor()
        sent = [(await one.send("Hello.", view=view, wait=True)).id for one in (*webhooks, webhooks[0])]
        if what == "deletion":
            stage.twin.state.overwrite(
                stage.twin.channel, stage.twin.bot.user, deny=Permission.MANAGE_MESSAGES
            )
            assert await editor.delete_messages(channel, sent) is EditOutcome.DONE
            assert not stage.twin.channel.messages
            return
        for id_ in sent:
            assert await editor.set_buttons(channel, id_, None, by_webhook=True) is EditOutcome.DONE
        shown = str([one.draft.components for one in stage.twin.channel.messages.values()])

    assert "sc:stop" not in shown


async def test_stray_401_to_a_webhook_is_tried_again() -> None:
    """Its token is right, since Discord still lists the webhook with it."""
    async with on_stage(ScriptedProvider([])) as stage:
        channel, id_ = await card(stage, by_webhook=True)
        editor = MessageEditor()
        stop, again = (make_buttons(AnswerButton(one, 1, "ff")) for one in ("stop", "again"))
        assert await editor.set_buttons(channel, id_, stop, by_webhook=True, card=True)
        stage.twin.faults.add(Fault(FaultKind.STATUS, ("webhooks.message",), status=401, times=1))
        outcomes = [
            await editor.set_buttons(channel, id_, again, by_webhook=True, card=True) for _ in range(2)
        ]

    assert outcomes == [EditOutcome.FAILED, EditOutcome.DONE]

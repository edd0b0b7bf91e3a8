from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.stage import make_config, on_stage
from bot.test_stop_scenarios import button, buttons_of
from streamcord import Message, Receipt, Speaker
from streamcord.testing import ScriptedProvider
from streamcord_bot.ui.buttons import AnswerButton, StopButton, make_buttons
from streamcord_bot.ui.message_editor import EditOutcome
from virtual_time import timeless


class Fingers:
    """A hand that notes what it would have done: the message, its buttons, whether a webhook had to do it."""

    def __init__(self) -> None:
        self.did: list[tuple[int, list[str], bool]] = []
        self.words: list[str] = []

    async def set_buttons(
        self,
        _: object,
        id_: int,
        view: discord.ui.View | None,
        *,
        by_webhook: bool = False,
        words: str = "",
        card: bool = False,
    ) -> EditOutcome:
        actions = [item.action for item in view.children if isinstance(item, AnswerButton)] if view else []
        self.did.append((id_, actions, by_webhook))
        self.words.append("a card" if card else words)
        return EditOutcome.DONE


def row(fingers: Fingers) -> StopButton:
    channel: Any = object()
    editor: Any = fingers
    return StopButton(editor, channel, AnswerButton("stop", 1, "ff"))


def receipt(id_: int, name: str = "", *changes: str) -> Receipt:
    return Receipt(Message("x", speaker=Speaker(name) if name else None), id_, changes=changes)


AGAIN, MORE = AnswerButton("again", 1, "ff"), AnswerButton("more", 1, "ff")


@timeless
async def test_stop_button_of_a_resumed_answer_is_removed_from_its_own_message() -> None:
    fingers = Fingers()
    one = row(fingers)
    transport: Any = SimpleNamespace(begun=0, ended=0)
    one.transport = transport
    # Sent by the process that died, whose button recovery has removed.
    one.on_event(receipt(1, "", "adopted"))
    transport.begun = 2
    for number in (2, 2, 3):
        one.on_event(receipt(number))
    await one.finish(AGAIN)

    assert fingers.did == [(2, [], False), (3, ["again"], False)]


@timeless
async def test_an_answer_of_one_message_gets_its_buttons_in_one_step() -> None:
    fingers = Fingers()
    one = row(fingers)
    one.on_event("not a receipt")
    one.on_event(receipt(1, "", "live"))
    one.on_event(receipt(1))
    await one.finish(AGAIN)

    assert [item.action for item in one.view.children if isinstance(item, AnswerButton)] == ["stop"]
    assert fingers.did == [(1, ["again"], False)]


@timeless
async def test_buttons_cost_two_requests_however_many_messages_there_are() -> None:
    fingers = Fingers()
    one = row(fingers)
    for number in range(1, 9):
        one.on_event(receipt(number))
    await one.finish(AGAIN)

    assert fingers.did == [(1, [], False), (8, ["again"], False)]


class Ended:
    """A transport that made its last message with the buttons of the last one."""

    def __init__(self, message: int) -> None:
        self.ended = message


@pytest.mark.parametrize(
    ("count", "ended", "buttons", "did"),
    [
        (1, 1, (AGAIN,), []),
        (4, 4, (AGAIN,), [(1, [], False)]),
        (1, 1, (), [(1, [], False)]),
        (4, 4, (), [(1, [], False), (4, [], False)]),
        (1, 1, (AGAIN, MORE), [(1, ["again", "more"], False)]),
        (4, 3, (AGAIN,), [(1, [], False), (4, ["again"], False)]),
    ],
    ids=["one", "many", "one, and none wanted", "many, and none wanted", "others wanted", "one more came"],
)
@timeless
async def test_what_was_made_with_its_buttons_needs_no_other_request(
    count: int, ended: int, buttons: tuple[AnswerButton, ...], did: list[object]
) -> None:
    fingers = Fingers()
    channel: Any = object()
    editor: Any = fingers
    one = StopButton(editor, channel, AnswerButton("stop", 1, "ff"), last=[AGAIN])
    one.transport = Ended(ended)
    for number in range(1, count + 1):
        one.on_event(receipt(number))
    await one.finish(*buttons)

    assert fingers.did == did


@timeless
async def test_without_buttons_at_the_end_the_stop_goes_away() -> None:
    fingers = Fingers()
    one = row(fingers)
    one.on_event(receipt(1))
    await one.finish()

    assert fingers.did == [(1, [], False)]


@timeless
async def test_a_message_of_components_keeps_its_words() -> None:
    fingers = Fingers()
    one = row(fingers)
    one.on_event(receipt(1, "", "live"))
    one.on_event(receipt(1, "", "v2"))
    await one.finish(AGAIN)

    assert fingers.words == ["x"]


@pytest.mark.parametrize(("name", "changes"), [("", ("v2", "card")), ("", ("unsure",)), ("Luna", ("v2",))])
@timeless
async def test_components_message_keeps_its_other_content(name: str, changes: tuple[str, ...]) -> None:
    fingers = Fingers()
    one = row(fingers)
    one.on_event(receipt(1, name, *changes))
    await one.finish(AGAIN)

    assert fingers.words == ["a card"]


@timeless
async def test_an_answer_without_messages_has_no_buttons() -> None:
    fingers = Fingers()
    await row(fingers).finish(AGAIN)

    assert fingers.did == []


@timeless
async def test_buttons_of_webhook_messages_are_edited_by_the_webhook() -> None:
    fingers = Fingers()
    for one in (receipt(1, "Luna"), receipt(2, "Luna", "no_webhook")):
        watched = row(fingers)
        watched.on_event(one)
        await watched.finish(AGAIN)

    assert [by_webhook for *_, by_webhook in fingers.did] == [True, False]


@timeless
async def test_a_button_carries_all_that_a_press_needs() -> None:
    button = AnswerButton("more", 123, "abc", "de")
    match = button.template.fullmatch(button.custom_id)
    assert match is not None
    nothing: Any = None
    again = await AnswerButton.from_custom_id(nothing, nothing, match)

    assert (again.action, again.owner, again.target) == ("more", 123, "abc")
    assert button.item.label == "Weiter"
    assert make_buttons(button).timeout is None


BUTTONS = make_config(answer={"debounce": 0.0, "buttons": True})


async def test_again_without_a_question_says_so() -> None:
    async with on_stage(ScriptedProvider(["Hello."]), config=BUTTONS) as stage:
        question = stage.ask("hi")
        answer = await stage.twin.next_message()
        await stage.twin.until(lambda: "again" in buttons_of(answer))
        await stage.quiet()
        stage.twin.delete(question)
        pressed = stage.twin.press(answer, button(answer, "again"))
        told = await stage.twin.next_message()

    assert told.interaction is pressed
    assert told.is_ephemeral
    assert "no longer exists" in told.content


async def test_a_stop_button_from_before_a_restart_stops_nothing() -> None:
    async with on_stage(ScriptedProvider(["Hello."]), config=BUTTONS) as stage:
        twin = stage.twin
        stage.ask("hi")
        answer = await twin.next_message()
        await stage.quiet()
        channel = stage.bot.get_channel(twin.channel.id)
        stale = make_buttons(AnswerButton("stop", twin.user.id, "deadbeef"))
        assert await stage.app.editor.set_buttons(channel, answer.id, stale)  # type: ignore[arg-type]
        pressed = twin.press(answer, button(answer, "stop"))
        # The press itself changes the message, and its user is told.
        told = await twin.until(
            lambda: next((one for one in twin.channel.messages.values() if one.is_ephemeral), None)
        )
        assert told.interaction is pressed
        assert told.content == "Nothing to stop here."
        assert answer.content == "Hello."

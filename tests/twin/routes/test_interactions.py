from __future__ import annotations

import pytest

from discord_twin import Interaction, Twin
from twin.api import Answer, Api

BUTTON = [{"type": 1, "components": [{"type": 2, "style": 1, "label": "l", "custom_id": "b"}]}]


FIELD = {"type": 18, "label": "name", "component": {"type": 4, "custom_id": "name", "style": 1}}


@pytest.fixture
async def asked(twin: Twin, api: Api) -> Interaction:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    return twin.slash("ask")


async def respond(api: Api, asked: Interaction, body: object) -> Answer:
    return await api.post(f"/interactions/{asked.id}/{asked.token}/callback?with_response=true", body)


async def test_a_deferral_shows_a_loading_message(api: Api, asked: Interaction) -> None:
    answer = (await respond(api, asked, {"type": 5, "data": {"flags": 64}})).json

    assert answer["interaction"]["response_message_loading"] is True
    assert answer["interaction"]["response_message_ephemeral"] is True


async def test_the_follow_up_of_an_ephemeral_deferral_stays_ephemeral(
    twin: Twin, api: Api, asked: Interaction
) -> None:
    await respond(api, asked, {"type": 5, "data": {"flags": 64}})
    made = await api.post(f"/webhooks/{twin.bot.id}/{asked.token}", {"content": "x"})

    assert made.json["flags"] == 64


async def test_a_modal_answers_without_a_message(api: Api, asked: Interaction) -> None:
    answer = await respond(
        api, asked, {"type": 9, "data": {"custom_id": "c", "title": "t", "components": [FIELD]}}
    )

    assert answer.json == {"interaction": {"id": str(asked.id), "type": 2}}


async def test_an_unknown_kind_of_answer_is_refused(api: Api, asked: Interaction) -> None:
    assert (await respond(api, asked, {"type": 77})).outcome == (400, 50035)
    assert not asked.responded


async def test_an_unknown_interaction_is_10062(api: Api, asked: Interaction) -> None:
    assert (await api.post(f"/interactions/1/{asked.token}/callback", {"type": 5})).outcome == (404, 10062)
    assert (await api.post(f"/interactions/{asked.id}/x/callback", {"type": 5})).outcome == (404, 10062)


async def test_a_refused_answer_may_be_tried_again(api: Api, asked: Interaction) -> None:
    assert (await respond(api, asked, {"type": 4, "data": {"content": ""}})).code == 50006
    assert (await respond(api, asked, {"type": 4, "data": {"content": "x"}})).status == 200


async def test_a_button_may_be_acknowledged_without_a_change(twin: Twin, api: Api) -> None:
    made = (await api.send("x", components=BUTTON)).json["id"]
    pressed = twin.press(twin.channel.messages[int(made)], "b")

    assert (await respond(api, pressed, {"type": 6})).json["interaction"]["response_message_id"] == made
    original = f"/webhooks/{twin.bot.id}/{pressed.token}/messages/@original"
    assert (await api.patch(original, {"content": "y"})).json["id"] == made


async def test_follow_ups_are_edited_by_id_and_strangers_are_not(
    twin: Twin, api: Api, asked: Interaction
) -> None:
    await respond(api, asked, {"type": 4, "data": {"content": "x"}})
    base = f"/webhooks/{twin.bot.id}/{asked.token}"
    made = (await api.post(base, {"content": "y"})).json["id"]
    stranger = (await api.send()).json["id"]

    assert (await api.patch(f"{base}/messages/{made}", {"content": "z"})).json["content"] == "z"
    assert (await api.patch(f"{base}/messages/{stranger}", {"content": "z"})).outcome == (404, 10008)


async def test_a_token_of_nothing_is_50027(twin: Twin, api: Api) -> None:
    assert (await api.post(f"/webhooks/{twin.bot.id}/nothing", {"content": "x"})).outcome == (401, 50027)


async def test_the_channel_may_be_gone(twin: Twin, api: Api, asked: Interaction) -> None:
    twin.state.delete_channel(twin.channel)

    assert (await respond(api, asked, {"type": 5})).outcome == (404, 10003)


async def test_the_message_says_who_asked(twin: Twin, api: Api, asked: Interaction) -> None:
    made = (await respond(api, asked, {"type": 4, "data": {"content": "x"}})).json["resource"]["message"]

    assert made["type"] == 20
    assert made["interaction_metadata"]["user"]["username"] == "alice"
    assert made["application_id"] == str(twin.bot.id)

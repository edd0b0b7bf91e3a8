from __future__ import annotations

import pytest

from streamcord import (
    ChannelGone,
    DeliveryError,
    DeliveryUnavailable,
    DeliveryUncertain,
    MessageRefused,
    NotAllowed,
    WebhookUnavailable,
)
from streamcord._delivery.error_codes import CODES, Action
from streamcord._delivery.refusals import FIELD_ACTIONS, choose_action


@pytest.mark.parametrize(
    ("error", "action"),
    [
        (DeliveryUnavailable("busy"), Action.RETRY),
        (DeliveryUncertain("lost", retryable=True), Action.RETRY),
        (DeliveryUncertain("lost"), Action.REPORT),
        (ChannelGone("gone"), Action.GIVE_UP),
        (NotAllowed("no"), Action.GIVE_UP),
        (WebhookUnavailable("no"), Action.GIVE_UP),
        (DeliveryError("what"), Action.GIVE_UP),
        (MessageRefused("no", code=10008), Action.ARRIVED),
        (MessageRefused("no", code=40005), Action.NO_FILES),
        (MessageRefused("no", code=50006), Action.SKIP),
        (MessageRefused("no", code=160002), Action.NO_REPLY),
        (MessageRefused("no", code=160009), Action.NO_REPLY),
        (MessageRefused("no", code=160010), Action.NO_REPLY),
        (MessageRefused("no", code=200000), Action.BLOCKED),
        (MessageRefused("no", code=240000), Action.BLOCKED),
        (MessageRefused("no", code=50109), Action.GIVE_UP),
        (MessageRefused("no", code=12345), Action.DEGRADE),
        (MessageRefused("no", code=50035, fields=("content",)), Action.RESPLIT),
        (MessageRefused("no", code=50035, fields=("embeds.0.title", "content")), Action.RESPLIT),
        (MessageRefused("no", code=50035, fields=("message_reference.message_id",)), Action.NO_REPLY),
        (MessageRefused("no", code=50035, fields=("attachments.0.description",)), Action.NO_FILES),
        (MessageRefused("no", code=50035, fields=("embeds.0.title",)), Action.DEGRADE),
        (MessageRefused("no", code=50035), Action.DEGRADE),
    ],
)
def test_each_error_has_its_action(error: DeliveryError, action: Action) -> None:
    assert choose_action(error) is action


def test_every_action_but_the_plain_ones_is_in_a_table() -> None:
    plain = {Action.RETRY, Action.REPORT, Action.DEGRADE}

    rows = {row.action for row in CODES.values()} - {Action.DEGRADE}

    assert rows | {*FIELD_ACTIONS.values()} == set(Action) - plain

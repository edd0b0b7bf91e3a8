from __future__ import annotations

import pytest

from streamcord import SettingsError
from streamcord_bot.config import AccessConfig, AccessList, read_config
from streamcord_bot.policy.access import (
    DenialReason,
    Requester,
    ShownRefusals,
    find_refusal,
    is_open,
    is_server_open,
)

MEMBER = Requester(1, 10, (100, 90, 80), frozenset({1000, 10}))
IN_DM = Requester(1, 0, (500,))


@pytest.mark.parametrize(
    ("allow", "member", "dm"),
    [
        (AccessList(), None, None),
        (AccessList(people=(1,)), None, None),
        (AccessList(people=(2,)), DenialReason.PERSON, DenialReason.DM),
        (AccessList(roles=(1000,)), None, DenialReason.DM),
        (AccessList(roles=(1001,)), DenialReason.PERSON, DenialReason.DM),
        (AccessList(roles=(1001,), people=(1,)), None, None),
        (AccessList(channels=(100,)), None, DenialReason.DM),
        (AccessList(channels=(90,)), None, DenialReason.DM),
        (AccessList(channels=(80,)), None, DenialReason.DM),
        (AccessList(channels=(101,)), DenialReason.CHANNEL, DenialReason.DM),
        (AccessList(servers=(10,)), None, DenialReason.DM),
        (AccessList(servers=(11,)), DenialReason.SERVER, DenialReason.DM),
        (AccessList(servers=(10,), channels=(101,)), DenialReason.CHANNEL, DenialReason.DM),
        (AccessList(servers=(10,), people=(2,)), DenialReason.PERSON, DenialReason.DM),
    ],
)
def test_who_is_allowed(allow: AccessList, member: DenialReason | None, dm: DenialReason | None) -> None:
    config = AccessConfig(allow=allow)

    assert (find_refusal(config, MEMBER), find_refusal(config, IN_DM)) == (member, dm)
    assert is_open(allow, MEMBER) == (member is None)


@pytest.mark.parametrize(
    ("block", "member", "dm"),
    [
        (AccessList(people=(1,)), DenialReason.PERSON, DenialReason.PERSON),
        (AccessList(people=(2,), roles=(7,), channels=(7,), servers=(7,)), None, None),
        (AccessList(roles=(1000,)), DenialReason.PERSON, None),
        (AccessList(channels=(80,)), DenialReason.CHANNEL, None),
        (AccessList(servers=(10,)), DenialReason.SERVER, None),
    ],
)
def test_who_is_blocked_stays_out_whoever_allows_it(
    block: AccessList, member: DenialReason | None, dm: DenialReason | None
) -> None:
    config = AccessConfig(allow=AccessList(people=(1,), servers=(10,), channels=(80,)), block=block)

    assert (find_refusal(config, MEMBER), find_refusal(config, IN_DM)) == (member, dm)


def test_a_server_is_open_unless_it_is_blocked_or_others_are_named() -> None:
    assert is_server_open(AccessConfig(), 10)
    assert not is_server_open(AccessConfig(block=AccessList(servers=(10,))), 10)
    assert not is_server_open(AccessConfig(allow=AccessList(servers=(11,))), 10)
    assert is_server_open(AccessConfig(allow=AccessList(servers=(10, 11), people=(4,))), 10)


def test_each_is_told_once_and_a_place_once_for_all() -> None:
    refusals = ShownRefusals()
    other = Requester(2, 10, (100,))

    assert [refusals.is_first(DenialReason.PERSON, one) for one in (MEMBER, MEMBER, other)] == [
        True,
        False,
        True,
    ]
    assert [refusals.is_first(DenialReason.CHANNEL, one) for one in (MEMBER, other)] == [True, False]
    assert [refusals.is_first(DenialReason.SERVER, one) for one in (MEMBER, other)] == [True, False]


def test_ids_of_the_file_may_be_quoted_and_nothing_else_is_one() -> None:
    config = read_config({"access": {"block": {"people": ["123456789012345678", 5]}}}, {})

    assert config.access.block.people == (123456789012345678, 5)
    with pytest.raises(SettingsError, match=r"access\.block\.people must be a list of ids"):
        read_config({"access": {"block": {"people": ["bob"]}}}, {})
    with pytest.raises(SettingsError, match="did you mean people"):
        read_config({"access": {"block": {"peeple": [1]}}}, {})

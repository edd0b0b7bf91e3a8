from __future__ import annotations

from streamcord_bot.policy.permissions import PermissionChecker, may_ping_roles, setter_key, setters_in


def test_who_set_something_stands_beside_it() -> None:
    stored = {"mentions": "users", setter_key("mentions"): 7, "thought_log": 5, "degree": 0}

    assert setters_in(stored, stored) == {"mentions": 7, "thought_log": 0}
    assert setters_in(stored, {"degree": 0}) == {}
    assert setters_in({"mentions": "users", setter_key("mentions"): "x"}, {"mentions": 0}) == {"mentions": 0}


def test_what_is_no_member_in_no_channel_pings_no_role() -> None:
    assert not may_ping_roles(object(), object())


async def test_what_the_file_says_holds_and_what_was_set_needs_a_server() -> None:
    class Somewhere:
        id = 4

    assert await PermissionChecker().holds({}, "mentions", "users_and_roles", Somewhere())
    assert not await PermissionChecker().holds({"mentions": 7}, "mentions", "users_and_roles", Somewhere())

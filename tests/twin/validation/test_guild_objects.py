from __future__ import annotations

from typing import Any

import pytest

from discord_twin.validation import guild_objects as rules
from discord_twin.validation.schema import Object
from twin.validation.seeing import faults


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (rules.NEW_CHANNEL, {"name": "n"}, [{"name": ""}, {"type": 1}, {"rate_limit_per_user": 21601},
                                            {"available_tags": [{"name": "x" * 21}]}, {"bitrate": 1}]),
        (rules.CHANGED_CHANNEL, {}, [{"name": "x" * 101}, {"topic": "x" * 4097}, {"type": 2},
                                     {"permission_overwrites": [{"type": 0}]}]),
        (rules.NEW_THREAD, {"name": "n"}, [{"auto_archive_duration": 7}, {"type": 0}, {"name": None}]),
        (rules.NEW_POST, {"name": "n", "message": {}}, [{"message": None}, {"applied_tags": ["1"] * 6}]),
        (rules.CHANGED_THREAD, {}, [{"archived": "perhaps"}, {"name": " "}]),
        (rules.BULK_DELETE, {"messages": ["1", "2"]}, [{"messages": ["1"]}, {"messages": ["1"] * 101}]),
        (rules.ROLE, {}, [{"name": "x" * 101}, {"color": -1}, {"permissions": "all"}]),
        (rules.MEMBER, {}, [{"nick": "x" * 33}, {"communication_disabled_until": "soon"}, {"roles": ["x"]}]),
        (rules.BAN, {}, [{"delete_message_seconds": 604_801}]),
        (rules.INVITE, {}, [{"max_uses": 101}, {"max_age": -1}]),
        (rules.EMOJI, {"name": "cat_1"}, [{"name": "c"}, {"name": "two words"}, {"name": "ö1"}]),
        (rules.STICKER, {"name": "cat", "tags": "x"}, [{"name": "c"}, {"tags": ""}]),
        (rules.OVERWRITE, {"type": 0, "allow": "1024"}, [{"type": 2}, {"allow": "x"}]),
    ],
)  # fmt: skip
def test_each_rule_accepts_valid_and_refuses_invalid_values(
    kind: Object, good: dict[str, Any], bad: list[dict[str, Any]]
) -> None:
    assert faults(kind, good) == []
    for wrong in bad:
        (fault,) = faults(kind, {**good, **wrong})
        assert fault.startswith(next(iter(wrong)))

from __future__ import annotations

from pathlib import Path

import pytest

from discord_twin.errors import ApiError
from discord_twin.options import TwinOptions
from discord_twin.validation import table as rule_table
from discord_twin.validation.guild_objects import NEW_THREAD

PAGE = Path(__file__).parents[3] / "docs" / "twin-rules.md"


def test_a_family_is_seven_code_points() -> None:
    family = "👨‍👩‍👧‍👦"

    assert rule_table.measure(family, TwinOptions()) == 7
    assert rule_table.measure(family, TwinOptions(count="utf16")) == 11


def test_a_refusal_names_every_fault() -> None:
    with pytest.raises(ApiError) as refused:
        rule_table.check(NEW_THREAD, {"name": "", "type": 5}, TwinOptions(), ("data",))

    assert set((refused.value.errors or {})["data"]) == {"name", "type"}


def test_components_are_checked_one_by_one_and_together() -> None:
    texts = [{"type": 10, "content": "x" * 2001}] * 2

    rule_table.check_components(texts[:1], TwinOptions(), v2=True)
    with pytest.raises(ApiError):
        rule_table.check_components(texts, TwinOptions(), v2=True)
    with pytest.raises(ApiError):
        rule_table.check_components(texts[:1], TwinOptions(), v2=False)


def test_every_row_has_its_source_and_the_page_shows_it() -> None:
    rows = [one for chapter in rule_table.CHAPTERS.values() for one in chapter]

    assert len({one.name for one in rows}) >= 60
    assert [one.name for one in rows if not one.source.startswith("https://docs.discord.com/")] == []
    assert PAGE.read_text(encoding="utf-8").endswith("\n".join(rule_table.print_table()) + "\n")

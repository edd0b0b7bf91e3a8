"""The three looks: dark, light, and one for a phone."""

from __future__ import annotations

from streamcord._render.table_style import DARK, LIGHT, PHONE


def test_a_phone_gets_a_narrower_table_in_smaller_letters() -> None:
    assert PHONE.width < DARK.width
    assert PHONE.size < DARK.size


def test_light_and_dark_differ_in_colours_alone() -> None:
    assert (LIGHT.width, LIGHT.size, LIGHT.pad) == (DARK.width, DARK.size, DARK.pad)
    assert LIGHT.text != DARK.text

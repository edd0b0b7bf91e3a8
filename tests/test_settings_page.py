"""`docs/settings.md` says what the fields say, and every sample shows what its setting does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from streamcord import AnswerContext, Settings
from streamcord._common.fields import fields_of

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import settings_page as page

FIELDS = {**fields_of(Settings), **fields_of(AnswerContext)}


def test_the_page_is_up_to_date() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.write_page(), "run python tools/settings_page.py"


def test_every_setting_has_a_meaning_and_a_sample_or_a_reason_for_none() -> None:
    names = FIELDS

    assert [name for name, spec in names.items() if not spec.doc.endswith(".")] == []
    assert page.SAMPLES.keys() | page.WITHOUT_SAMPLE.keys() == names.keys()
    assert page.SAMPLES.keys() & page.WITHOUT_SAMPLE.keys() == set()


@pytest.mark.parametrize("name", page.SAMPLES)
def test_a_sample_shows_a_difference(name: str) -> None:
    _, usual, other = page.show_sample(FIELDS[name], page.SAMPLES[name])

    assert usual.partition("  ")[2].strip() != other.partition("  ")[2].strip()


@pytest.mark.parametrize("name", FIELDS)
def test_help_says_what_a_setting_means(name: str) -> None:
    assert f"{name}: {FIELDS[name].doc}" in (Settings.__doc__ or "") + (AnswerContext.__doc__ or "")

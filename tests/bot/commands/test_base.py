"""What all commands share: which errors are told to whom."""

from __future__ import annotations

import logging

import pytest

from streamcord import SettingsError, StoreError
from streamcord_bot.commands.base import CommandRefused, describe_error
from streamcord_bot.personas.character_cards import CardError
from streamcord_bot.personas.picture_fetcher import FetchError
from streamcord_bot.personas.pictures import PictureError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (CommandRefused("name_length", length=80), "A name can have at most 80 characters."),
        (CardError("No card."), "No card."),
        (FetchError("Not fetched."), "Not fetched."),
        (PictureError("No picture."), "No picture."),
        (SettingsError("a_b", "`x`", "*y*"), r"a\_b must be \`x\`, not '\*y\*'."),
    ],
)
def test_what_a_person_can_mend_is_told_to_them(
    error: Exception, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert describe_error("en-US", error, "/persona list") == words
    assert caplog.records == []


def test_what_the_operator_can_mend_goes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    said = describe_error("en-US", StoreError("The database 'x.db' was locked."), "/persona list")

    assert "x.db" not in said
    assert said.startswith("My memory is unavailable")
    assert [record.getMessage() for record in caplog.records] == [
        "/persona list failed because of the store: The database 'x.db' was locked."
    ]


def test_what_nobody_expected_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    said = describe_error("en-US", KeyError("secret"), "/persona list")

    assert said == "That did not work. The operator of this bot can find the reason in the log."
    assert [(record.levelno, record.exc_info is not None) for record in caplog.records] == [
        (logging.ERROR, True)
    ]


def test_a_refused_value_of_any_length_fits_a_message() -> None:
    assert len(describe_error("en-US", SettingsError("x", "y", "*" * 10_000), "/settings set")) <= 2000

"""What is an echo of the prefill."""

from __future__ import annotations

from streamcord._core.rules.prefill import Echo, Match


def test_the_whole_echo_may_come_at_once() -> None:
    assert Echo("Sure, ").match("Sure, yes") == (Match.WHOLE, 6)
    assert Echo("Sure, ").match("\n Sure, yes") == (Match.WHOLE, 8)


def test_white_space_at_its_end_may_be_missing() -> None:
    assert Echo("Sure, ").match("Sure,\n") == (Match.WHOLE, 6)


def test_an_echo_may_come_in_parts() -> None:
    echo = Echo("One.\nTwo.\nThree")
    assert echo.match("One.\n") == (Match.PART, 5)
    assert echo.match("Two.\n") == (Match.PART, 5)
    assert echo.match("Three four") == (Match.WHOLE, 5)


def test_parts_may_lead_elsewhere() -> None:
    echo = Echo("One.\nTwo.")
    assert echo.match("One.\n") == (Match.PART, 5)
    assert echo.match("Six.") == (Match.NONE, 0)


def test_only_white_space_may_be_left_of_it() -> None:
    echo = Echo("One. ")
    assert echo.match("On") == (Match.PART, 2)
    assert echo.match("e. ") == (Match.WHOLE, 3)
    spaced = Echo("A. \n")
    assert spaced.match("A. ") == (Match.WHOLE, 3)


def test_another_text_is_none() -> None:
    assert Echo("Sure").match("Well") == (Match.NONE, 0)

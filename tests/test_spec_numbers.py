"""The numbers and names of the seeds, and what they do."""

from __future__ import annotations

from random import Random

import pytest

from streamcord import Boundary, Degree, Message, Pipeline, Settings


def delays(text: str, settings: Settings) -> list[float]:
    pipeline = Pipeline(settings, Random(0))
    events = [*pipeline.feed(text), *pipeline.flush()]
    return [event.delay for event in events if isinstance(event, Message)]


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        ("FLUSH_BUFFER_SIZE_REGULAR", "overflow_target", 1000),
        ("FLUSH_BUFFER_SIZE_CODE_BLOCK", "code_overflow", 15_000),
        ("MAX_SINGLE_MESSAGE_LENGTH", "message_length", 1950),
        ("BASE_TYPE_SPEED_MS_PER_CHAR", "seconds_per_character", 0.010),
        ("MIN_VISIBLE_TYPING_DURATION_MS", "typing_delay_min", 0.750),
        ("MAX_TYPING_TIME_MS", "typing_delay_max", 4.0),
        ("THINKING_PAUSE_CHANCE", "pause_chance", 0.25),
        ("MIN_RANDOM_PAUSE_MS", "pause_min", 0.25),
        ("MAX_RANDOM_PAUSE_MS", "pause_max", 1.5),
        ("MAX_FLUSH_COUNT", "message_cap", 40),
        ("send_message_limit", "send_message_limit", 0),
        ("EMOJI_RUN_PREFIX_LENGTH", "emoji_run_prefix_length", 3),
        ("humanizer_degree", "degree", Degree.MEDIUM),
    ],
)
def test_the_numbers_of_the_seeds_are_our_defaults(key: str, field: str, value: object) -> None:
    assert getattr(Settings(), field) == value, key


def test_boundaries_have_the_labels_of_the_seeds() -> None:
    labels = "code_open code_close newline period overflow attachment final tool_call"

    # `flush` is ours: the source asked for it, or pauses.
    assert [boundary.value for boundary in Boundary if boundary is not Boundary.FLUSH] == labels.split()


def test_a_delay_is_the_length_times_the_speed_between_floor_and_cap() -> None:
    lines = ["First.", "x" * 10, "y" * 200, "z" * 900]

    assert delays("\n".join(lines), Settings(pause_chance=0)) == [0.0, 0.75, 2.0, 4.0]


def test_a_thinking_pause_lies_in_its_range() -> None:
    text = "\n".join(["Word."] * 200)
    bare = Settings(seconds_per_character=0, typing_delay_min=0, pause_chance=1, message_cap=0)
    found = delays(text, bare)[1:]

    assert 0.25 <= min(found) < 0.35
    assert 1.4 < max(found) <= 1.5


def test_a_thinking_pause_comes_by_its_chance() -> None:
    text = "\n".join(["Word."] * 400)
    bare = Settings(seconds_per_character=0, typing_delay_min=0, message_cap=0)
    paused = [delay for delay in delays(text, bare)[1:] if delay]

    assert 70 < len(paused) < 130


@pytest.mark.parametrize(
    ("typing", "degree", "waits"),
    [
        ("auto", Degree.LIGHT, False),
        ("auto", Degree.MEDIUM, True),
        ("auto", Degree.HEAVY, True),
        ("on", Degree.LIGHT, True),
        ("off", Degree.HEAVY, False),
    ],
)
def test_typing_is_simulated_from_medium_on_unless_told(typing: str, degree: Degree, waits: bool) -> None:
    settings = Settings.from_mapping({"typing": typing, "degree": degree})

    assert bool(delays("One.\nTwo.", settings)[1]) is waits

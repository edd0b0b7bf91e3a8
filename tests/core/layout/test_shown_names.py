"""Adjacent messages in different looks have different names."""

from __future__ import annotations

from streamcord._core.layout.shown_names import Looks
from streamcord._events import Speaker
from streamcord._settings import Persona, Settings

LUNA = Persona("Luna")
MAD, HAPPY = (Speaker("Luna", f"{name}.png", f"Luna ({name}): ") for name in ("mad", "happy"))
GHOST = Speaker("ghost (Luna)", None, "Luna (ghost): ")
BASE = Speaker("Luna", "luna.png", "")


def names(*speakers: Speaker | None, last: Speaker | None = None) -> list[str | None]:
    looks = Looks(LUNA, Settings(persona=LUNA, last_look=last))
    worn = [looks.wear(speaker) for speaker in speakers]
    return [speaker.name if speaker else None for speaker in worn]


def test_sprites_alternate_and_the_same_look_keeps_its_name() -> None:
    assert names(MAD, HAPPY, HAPPY, MAD, HAPPY) == [
        "Luna",
        "Luna (happy)",
        "Luna (happy)",
        "Luna",
        "Luna (happy)",
    ]


def test_the_base_look_is_a_look() -> None:
    assert names(None, MAD, None, MAD) == [None, "Luna (mad)", None, "Luna (mad)"]
    assert names(MAD, BASE, BASE, HAPPY) == ["Luna", "Luna (base)", "Luna (base)", "Luna"]


def test_identity_sprites_are_distinct_already() -> None:
    assert names(MAD, GHOST, MAD, GHOST) == ["Luna", "ghost (Luna)", "Luna", "ghost (Luna)"]


def test_the_look_of_the_last_turn_counts() -> None:
    assert names(MAD, last=HAPPY) == ["Luna (mad)"]
    assert names(MAD, last=Speaker("Luna (mad)", None, "Luna (mad): ")) == ["Luna (mad)"]
    assert names(MAD, last=Speaker("Luna (happy)", None, "Luna (happy): ")) == ["Luna"]
    assert names(BASE, last=Speaker("Ren", None, "")) == ["Luna"]

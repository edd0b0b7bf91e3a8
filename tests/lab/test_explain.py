"""The reasons behind each message."""

from __future__ import annotations

from streamcord import Degree, Emoji, Persona, Settings, Sprite
from streamcord._lab.explain import explain
from streamcord._lab.outcome import plan

LUNA = Settings(
    persona=Persona("Luna", sprites=(Sprite("mad"),)), emoji=(Emoji("wave", 22),), recent_messages=(":grin:",)
)


def told(text: str, settings: Settings = LUNA) -> str:
    return "\n".join(explain(text, plan([text], settings, 0), settings, 0))


def test_it_says_which_boundary_cut_and_which_rule_changed_what() -> None:
    out = told("Luna (mad): Hi :wave: you.\nBye.")
    assert "message 1 as Luna: 'Hi <:wave:22> you.'" in out
    assert "cut    at newline" in out
    assert "rule   render modifier: 'Luna (mad): ' -> ''" in out
    assert "rule   emoji: ':wave:' -> '<:wave:22>'" in out
    assert "cut    at final" in out


def test_it_says_how_long_a_message_waits_and_why() -> None:
    quick = Settings(pause_chance=0)
    out = told("One.\nTwo.\n" + "word " * 60 + "\n" + "long " * 120, quick)
    assert "waits  not at all: the first message goes at once" in out
    assert "waits  0.75 s: 4 characters at 0.01 s, at least 0.75 s" in out
    assert "waits  2.99 s: 299 characters at 0.01 s\n" in out
    assert "waits  4.00 s: 599 characters at 0.01 s, at most 4 s" in out
    assert "of thought" in told("One.\nTwo.", Settings(pause_chance=1))
    assert "typing is not simulated" in told("One.\nTwo.", Settings(typing="off"))


def test_it_shows_what_was_added_and_what_nobody_sees() -> None:
    out = told("<think>hm</think>**bold", Settings())
    assert "added  closed, after: '**'" in out
    assert "thought: 'hm'" in out


def test_it_tells_a_cut_from_a_split() -> None:
    assert "1. cut or split?      every message is a whole segment" in told("One.\nTwo.")
    out = told("word " * 30, Settings(message_length=60))
    assert "cut    at final, then split: piece 1 of 3" in out
    assert "split after stage 5: message 1, 2, 3" in out


def test_it_tells_whether_an_emoji_was_removed() -> None:
    assert "2. repeated emoji?    none was removed" in told("Hi :wave: you")
    assert "2. repeated emoji?    removed ':grin:'" in told("Hi :grin: you")


def test_it_tells_what_the_degree_does() -> None:
    assert "3. which degree?      2 MEDIUM: no cuts at sentence ends, no humanizer" in told("One.")
    assert "3 HEAVY: sentences are cut, the humanizer made 2 edits" in told(
        "One.", Settings(degree=Degree.HEAVY)
    )
    assert "the humanizer is off: 0 edits" in told("One.", Settings(degree=Degree.HEAVY, humanize=False))


def test_it_tells_which_message_was_held() -> None:
    assert "4. held for a marker? no" in told("One.\nTwo.")
    out = told('One.\nA "stray quote\n' + "and plain words\n" * 50)
    assert "4. held for a marker? message 2 left" in out

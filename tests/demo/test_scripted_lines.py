"""Each scene shows what it is there to show, when the library reads it."""

from __future__ import annotations

import pytest

from streamcord import Captured, Message, Persona, Pipeline, Settings, Sprite, Table
from streamcord._demo.scripted_lines import SCENES, find_scene
from streamcord._demo.tour import STEPS

LUNA = Persona("Luna", sprites=(Sprite("happy"), Sprite("mad"), Sprite("sleepy")))


def events_of(cue: str, **settings: object) -> list[object]:
    scene = find_scene(cue, "Luna")
    assert scene is not None
    pipeline = Pipeline(Settings.from_mapping({"persona": LUNA, **settings}))
    text = (scene.text + scene.then).replace("%name%", "Luna")
    return [*pipeline.feed(text), *pipeline.flush()]


def messages_of(cue: str, **settings: object) -> list[Message]:
    return [event for event in events_of(cue, **settings) if isinstance(event, Message)]


def test_the_table_is_a_table() -> None:
    assert sum(isinstance(file, Table) for one in messages_of("show me a table") for file in one.files) == 1


def test_the_code_is_one_block_and_its_braces_stay() -> None:
    (code,) = (one.content for one in messages_of("show me some code") if "```" in one.content)

    assert '{name}!")' in code


def test_the_story_is_one_text_at_degree_0_and_many_at_degree_3() -> None:
    assert len(messages_of("tell me a long story", degree=0)) == 1
    assert len(messages_of("tell me a long story", degree=3)) > 15


def test_the_faces_wear_each_look_and_none_at_last() -> None:
    labels = [one.speaker.label if one.speaker else "" for one in messages_of("show me your faces")]

    assert labels == ["Luna (happy): ", "Luna (mad): ", "Luna (sleepy): ", ""]


def test_what_is_thought_does_not_show() -> None:
    kinds = [event.kind for event in events_of("do you think?") if isinstance(event, Captured)]

    assert kinds == ["think", "details"]
    assert not any("keep this part" in one.content for one in messages_of("do you think?"))


def test_a_robot_has_its_own_faces() -> None:
    robot, cat = find_scene("show me your faces", "Orbit"), find_scene("show me your faces", "Luna")

    assert robot is not None
    assert "(thinking)" in robot.text
    assert robot != cat
    assert find_scene("hello", "Luna") is None


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.lines[-1])
def test_whatever_the_tour_asks_for_is_in_the_script_or_in_any_model(step: object) -> None:
    said = [line for line in step.lines if line[0] not in ":/#"]  # type: ignore[attr-defined]

    assert all(line == "hello!" or find_scene(line, "Luna") for line in said)


def test_no_cue_hides_another() -> None:
    for scene in SCENES:
        assert find_scene(f"please {scene.cue.upper()} now", "Luna") is scene

from __future__ import annotations

import argparse
import io
import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from streamcord import AnswerContext, Degree, Emoji, Persona, Settings, Sprite
from streamcord._preview.planned_answer import plan
from streamcord._preview.preview import add_arguments, explain, run


def preview(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return run(parser.parse_args(arguments))


@pytest.fixture
def answer(tmp_path: Path) -> str:
    path = tmp_path / "answer.md"
    path.write_text("<think>hm</think>One. Two.\nThree.", encoding="utf-8")
    return str(path)


def contents(out: str) -> list[str]:
    return [json.loads(line)["content"] for line in out.splitlines()]


def test_json_is_one_object_per_message(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = preview(answer, "--json")

    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert status == 0
    assert list(first) == ["content", "delay", "speaker", "reply", "files", "spans"]
    assert (first["content"], first["delay"], first["reply"]) == ("One. Two.", 0.0, True)
    assert (second["content"], second["reply"]) == ("Three.", False)
    assert second["delay"] > 0


@pytest.mark.parametrize(
    ("degree", "expected"),
    [
        ("0", ["One. Two.\nThree."]),
        ("none", ["One. Two.\nThree."]),
        ("1", ["One. Two.", "Three."]),
        ("Medium", ["One. Two.", "Three."]),
        ("3", 3),
        ("HEAVY", 3),
    ],
)
def test_a_degree_is_a_number_or_a_name(
    answer: str, degree: str, expected: list[str] | int, capsys: pytest.CaptureFixture[str]
) -> None:
    preview(answer, "--json", "--degree", degree)

    found = contents(capsys.readouterr().out)
    assert (len(found) if isinstance(expected, int) else found) == expected


def test_the_limit_is_the_longest_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "long.txt"
    path.write_text("word " * 100)

    preview(str(path), "--json", "--limit", "60")

    assert {len(content) <= 60 for content in contents(capsys.readouterr().out)} == {True}


def test_slices_do_not_change_the_messages(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for length in ("0", "1", "7"):
        preview(answer, "--json", "--slice", length)
        outputs.append(capsys.readouterr().out)

    assert outputs[0] == outputs[1] == outputs[2]


def test_it_is_drawn_with_thoughts_below(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = preview(answer)

    out = capsys.readouterr().out
    assert status == 0
    assert out.index("One. Two.") < out.index("Three.") < out.index("hm") < out.index("2 messages in")


def test_standard_input_is_a_dash(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfHi \xff there.\r\nBye.")))

    preview("-", "--json")

    assert contents(capsys.readouterr().out) == ["Hi \ufffd there.", "Bye."]


def test_a_batch_is_answered_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": 1, "text": "One.\\nTwo."}\nnonsense\n')

    status = preview("--batch", str(path), "--degree", "0")

    out, err = capsys.readouterr()
    assert [message["content"] for message in json.loads(out)["messages"]] == ["One.\nTwo."]
    assert err.startswith("streamcord: line 2: not JSON")
    assert status == 2


@pytest.fixture
def luna(tmp_path: Path) -> str:
    path = tmp_path / "luna.toml"
    path.write_text(
        'degree = 0\nspeaker_guard = "known"\n[persona]\nname = "Luna"\n'
        'sprites = [{ name = "mad", avatar = "mad.png" }]\n[[emoji]]\nname = "wave"\nid = "22"\n'
    )
    return str(path)


def test_settings_come_from_a_file_and_the_command_line_wins(
    tmp_path: Path, luna: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answer.md"
    path.write_text("Luna (mad): Hi :wave: you\nBye\nUser: hm")

    preview(str(path), "--json", "--settings", luna)
    whole = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    preview(str(path), "--json", "--settings", luna, "--degree", "2")

    assert [message["content"] for message in whole] == ["Hi <:wave:22> you", "Bye"]
    assert whole[0]["speaker"] == {"name": "Luna", "avatar": "mad.png", "label": "Luna (mad): "}
    assert "Bye" in contents(capsys.readouterr().out)


def test_a_batch_line_may_have_all_settings(
    tmp_path: Path, luna: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answers.jsonl"
    line = {"text": "@al hi", "settings": {"people": [{"id": 5, "handle": "al"}], "prefill": "Oh, "}}
    path.write_text(json.dumps(line))

    preview("--batch", str(path), "--settings", luna)

    assert json.loads(capsys.readouterr().out)["messages"][0]["content"] == "Oh, <@5> hi"


def test_it_explains_each_message(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert preview(answer, "--explain") == 0

    out = capsys.readouterr().out
    assert "cut    at newline" in out
    assert "4. held for a marker? no" in out


def test_explanation_names_the_table_of_a_message_without_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answer.md"
    path.write_text("Look:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nDone.")

    assert preview(str(path), "--explain") == 0
    assert "message 2: a table of 2 rows\n" in capsys.readouterr().out


def test_a_file_of_settings_that_is_none_is_refused(
    answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("degree = ")

    assert preview(answer, "--settings", str(path)) == 2
    assert "bad.toml must be TOML" in capsys.readouterr().err
    assert preview(answer, "--settings", "no/such/file") == 2
    assert "cannot read no/such/file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "needs FILE, - for standard input, or --batch FILE"),
        (["-", "--batch", "-"], "needs FILE, - for standard input, or --batch FILE"),
        (["no/such/file"], "cannot read no/such/file: No such file or directory"),
        (["--batch", "no/such/file"], "cannot read no/such/file: No such file or directory"),
        (["-", "--degree", "7"], "degree must be 0 to 3, or NONE, LIGHT, MEDIUM, HEAVY, not 7"),
        (["-", "--limit", "5"], "message_length must be a whole number from 32 to 1000000, not 5"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = preview(*arguments)

    assert complaint in capsys.readouterr().err
    assert status == 2


def test_a_negative_slice_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        preview("-", "--slice", "-1")

    assert "must not be negative" in capsys.readouterr().err


def test_pictures_are_written_where_one_wants_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("Look:\n| a |\n|---|\n| 1 |\n", encoding="utf-8")

    assert preview(str(page), "--json", "--out", str(tmp_path / "new" / "pictures")) == 0
    (picture,) = (tmp_path / "new" / "pictures").iterdir()
    assert picture.name == "02-table.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert json.loads(capsys.readouterr().out.splitlines()[1])["files"][0]["alt"] == "a\n1"


def test_diagram_is_shown_as_code_that_would_be_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("Look:\n```mermaid\ngraph LR\nA --> B\n```\n", encoding="utf-8")

    assert preview(str(page), "--json", "--out", str(tmp_path / "pictures")) == 0
    assert (tmp_path / "pictures" / "02-diagram.png").read_bytes().startswith(b"\x89PNG")
    (file,) = json.loads(capsys.readouterr().out.splitlines()[1])["files"]
    assert (file["drawing"], file["alt"]) == ("diagram", "A flowchart: A leads to B")


def test_a_table_that_cannot_be_drawn_is_told_with_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("| a |\n|---|\n| \U0010fffd தமிழ் |\n", encoding="utf-8")

    assert preview(str(page), "--out", str(tmp_path / "pictures")) == 0
    told = capsys.readouterr().err
    assert list((tmp_path / "pictures").iterdir()) == []
    assert "Tables that cannot be drawn here, and would be code blocks: 1 of 1." in told
    if find_spec("fontpkg_noto_sans_tamil") is None:
        assert "Letters of Tamil, Telugu and Khmer are missing: pip install" in told


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("Hi", encoding="utf-8")

    assert preview(str(page), "--out", str(page)) == 2
    assert "cannot write" in capsys.readouterr().err


LUNA = AnswerContext(
    persona=Persona("Luna", sprites=(Sprite("mad"),)), emoji=(Emoji("wave", 22),), recent_messages=(":grin:",)
)


def told(text: str, settings: Settings | None = None) -> str:
    settings, context = (settings, AnswerContext()) if settings else (Settings(), LUNA)
    return "\n".join(explain(text, plan([text], settings, 0, context), settings, 0, context))


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
    assert "split once more: message 1, 2, 3" in out


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
    assert "4. held for a marker? message 2 was sent" in out


@pytest.mark.parametrize(
    ("text", "mark"), [("One (two\nthree) four.", "("), ("One **two\nthree** four.", "**")]
)
def test_it_names_the_marker_that_held_the_lines(text: str, mark: str) -> None:
    assert f"4. held for a marker? lines of message 1 by '{mark}'" in told(text)


def test_live_shows_every_frame_with_its_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answer.md"
    path.write_text("".join(f"Line {number} of it.\n" for number in range(40)), encoding="utf-8")
    assert preview(str(path), "--live", "--speed", "200") == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert "message 1    new  'Line 0 of it." in first
    assert len(others) >= 2
    assert all(" message 1 " in line and " +" in line for line in others)
    assert "Line 39 of it." in others[-1]

    assert preview(str(path), "--live", "--json") == 0
    frames = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [frame["new"] for frame in frames] == [True] + [False] * (len(frames) - 1)
    assert frames[-1]["content"].endswith("Line 39 of it.")
    with pytest.raises(SystemExit):
        preview(str(path), "--live", "--speed", "0")

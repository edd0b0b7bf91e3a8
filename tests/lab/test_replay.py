from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from streamcord import Finish, Overloaded, TextDelta
from streamcord._cli.main import main
from streamcord._lab.recording import record
from streamcord._testing.fakes import Cue
from streamcord.testing import ScriptedProvider


@pytest.fixture
def recording(tmp_path: Path) -> str:
    return write(tmp_path / "a.rec", TextDelta("One here. Two here.\nThree"), Finish())


def write(path: Path, *cues: Cue) -> str:
    async def run() -> None:
        try:
            async for _ in record(ScriptedProvider(cues), path):
                pass
        except Overloaded:
            pass

    asyncio.run(run())
    return str(path)


def test_a_recording_is_shown(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", recording, "--speed", "0"]) == 0

    out = capsys.readouterr().out
    assert "| One here. Two here.\n" in out
    assert "| Three\n" in out
    assert "completed: 2 messages" in out


def test_delays_are_shown_though_nobody_waits(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", recording, "--speed", "0", "--json"]) == 0

    first, second, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["at"] == 0.0
    assert second["at"] == pytest.approx(second["delay"])


def test_it_runs_fast_with_other_settings(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", recording, "--speed", "500", "--degree", "3", "--json"]) == 0

    *messages, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert [message["content"] for message in messages] == ["one here", "two here", "three"]
    assert result["counts"]["messages"] == 3


def test_two_replays_are_equal(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    outs = []
    for _ in range(2):
        main(["replay", recording, "--speed", "0", "--degree", "heavy", "--seed", "5", "--json"])
        outs.append(capsys.readouterr().out.splitlines()[:-1])

    assert outs[0] == outs[1] != []


def test_an_error_on_file_is_told_after_the_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "a.rec", TextDelta("Some words"), Overloaded("busy", user_message="Wait a bit."))

    assert main(["replay", path, "--speed", "0"]) == 1

    out, err = capsys.readouterr()
    assert "| Some words" in out
    assert err == "streamcord: Wait a bit.\n            busy\n"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(None, "cannot read"), (b"hello", "a.rec is not a recording: line 1"), (b"\xff\xfe", "not UTF-8")],
)
def test_what_cannot_be_replayed_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, complaint: str
) -> None:
    path = tmp_path / "a.rec"
    if content is not None:
        path.write_bytes(content)

    assert main(["replay", str(path)]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--speed", "-1"], ["--speed", "inf"], ["--speed", "fast"]])
def test_a_speed_that_makes_no_sense_is_refused(recording: str, options: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(["replay", recording, *options])


def test_settings_may_come_from_a_file(
    recording: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "luna.toml"
    path.write_text('stop_strings = ["Two"]')

    assert main(["replay", recording, "--speed", "0", "--settings", str(path)]) == 0
    assert "| One here.\n" in (out := capsys.readouterr().out)
    assert "Two" not in out
    path.write_text("degree =")
    assert main(["replay", recording, "--settings", str(path)]) == 2
    assert "luna.toml must be TOML" in capsys.readouterr().err


def test_settings_are_checked(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", recording, "--degree", "9"]) == 2
    assert "degree must be" in capsys.readouterr().err

"""`streamcord ask` and `streamcord replay`, run for real against servers on this machine."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from pathlib import Path

import pytest

from providers.loopback import DONE, Response, Server, chat, refusing, serving, streaming
from streamcord import Finish, Overloaded, TextDelta
from streamcord._cli import main
from streamcord._preview.ask_and_replay import find_key
from streamcord._preview.recording import read_recording, record
from streamcord._testing.fakes import Cue
from streamcord.testing import ScriptedProvider

USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 7}}\n\n'
ANSWER = streaming(chat("One here.\nTwo "), chat("here."), chat(finish="stop"), USAGE, DONE)


def ask(answer: Response, *options: str, provider: str = "custom") -> tuple[int, Server]:
    """Run the command in a thread, while the server runs here."""

    async def run() -> tuple[int, Server]:
        async with serving(answer) as server:
            command = ["ask", "--provider", provider, "--model", "m", "--base-url", server.url, *options]
            return await asyncio.to_thread(main, command), server

    return asyncio.run(run())


def test_the_answer_is_printed_as_a_channel_would_see_it(capsys: pytest.CaptureFixture[str]) -> None:
    status, server = ask(ANSWER, "Hi?", "--system", "Be brief.", "--degree", "1")

    out = capsys.readouterr().out
    assert status == 0
    assert "| One here.\n" in out
    assert "| Two here.\n" in out
    assert "completed: 2 messages, 7 tokens" in out
    assert [message["content"] for message in server.bodies[0]["messages"]] == ["Be brief.", "Hi?"]


def test_json_is_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    ask(ANSWER, "Hi?", "--json", "--degree", "none")

    message, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert message["content"] == "One here.\nTwo here."
    assert result["usage"]["output_tokens"] == 7
    assert result["ending"] == "completed"


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMCORD_API_KEY", "mine")
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    assert [find_key(name) for name in ("custom", "openai", "anthropic")] == ["mine", "theirs", ""]
    _, server = ask(ANSWER, "Hi?", "--degree", "0")
    assert server.requests[0].headers["Authorization"] == "Bearer mine"


def test_a_missing_key_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    assert main(["ask", "--provider", "openai", "--model", "m", "Hi?"]) == 2
    assert "set OPENAI_API_KEY" in capsys.readouterr().err


def test_a_refusal_is_told_in_plain_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMCORD_API_KEY", "sk-wrong-key")
    status, _ = ask(refusing(401, {"error": {"message": "bad key sk-wrong-key"}}), "Hi?")

    out, err = capsys.readouterr()
    assert status == 1
    assert err == (
        "streamcord: The provider refused the API key. Check the key.\n"
        "            The provider answered 401: bad key ***\n"
    )
    assert out == ""
    assert "sk-wrong-key" not in out + err


def test_an_answer_can_be_recorded_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.rec"
    ask(ANSWER, "Hi?", "--record", str(path), "--mask-text", "--degree", "1")
    assert "One here." in capsys.readouterr().out

    assert "One" not in path.read_text()
    assert len(read_recording(path)) > 3
    assert main(["replay", str(path), "--speed", "0", "--degree", "1"]) == 0
    assert "| Xxx xxxx.\n" in capsys.readouterr().out


def test_the_question_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("From a pipe?"))
    _, server = ask(ANSWER, "-", "--degree", "0")

    assert server.bodies[0]["messages"][0]["content"] == "From a pipe?"


def test_the_answer_ends_at_a_stop_string(capsys: pytest.CaptureFixture[str]) -> None:
    status, server = ask(ANSWER, "Hi?", "--stop", "\\nTwo", "--stop", "###", "--degree", "1")

    assert status == 0
    assert server.bodies[0]["stop"] == ["\nTwo", "###"]
    assert "| One here.\n" in (out := capsys.readouterr().out)
    assert "Two" not in out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["  "], "empty"),
        (["Hi?", "--degree", "9"], "degree must be"),
        (["Hi?", "--stop", ""], "stop_strings must be texts of 1 to 200 characters"),
        (["Hi?", "--record", "no/such/folder/a.rec"], "cannot use no/such/folder/a.rec"),
        (["Hi?", "--settings", "no.toml"], "cannot use no.toml"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    capsys: pytest.CaptureFixture[str], options: list[str], complaint: str
) -> None:
    status, _ = ask(ANSWER, *options)

    assert status == 2
    assert complaint in capsys.readouterr().err


def test_a_key_does_not_travel_in_the_clear(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["ask", "--provider", "custom", "--model", "m", "--base-url", "http://example.com/v1", "Hi?"]

    assert main(command) == 2
    assert "https" in capsys.readouterr().err


def test_a_server_of_ones_own_needs_an_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--provider", "custom", "--model", "m", "Hi?"]) == 2
    assert "say --base-url URL" in capsys.readouterr().err


def test_a_pause_that_the_server_asks_for_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    status, _ = ask(refusing(429, {"error": {"message": "slow"}}, Retry_After="20"), "Hi?")

    assert status == 1
    assert "It asks for a pause of 20 s." in capsys.readouterr().err


# --- streamcord replay ----------------------------------------------------------------------------------


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


def test_a_recording_can_be_seen_to_grow(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", recording, "--live", "--json"]) == 0
    frames = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert frames[0]["new"]
    assert frames[-1]["message"] == 1
    assert main(["replay", recording, "--live"]) == 0
    assert capsys.readouterr().out.count("message 1") == len(frames)


def test_what_grew_when_it_was_recorded_grows_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, settings = tmp_path / "live.rec", tmp_path / "live.toml"
    settings.write_text('delivery = "live"\nlive_limit = 4000\n', encoding="utf-8")
    long = streaming(*(chat(f"Line {number} of this answer. ") for number in range(30)), DONE)
    ask(long, "Hi?", "--record", str(file), "--settings", str(settings))
    capsys.readouterr()

    assert json.loads(file.read_text().splitlines()[0])["live"] == 4000
    assert main(["replay", str(file), "--json"]) == 0
    frames = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert frames[0]["new"]
    assert frames[-1]["content"].endswith("Line 29 of this answer.")


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

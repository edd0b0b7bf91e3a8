from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.reading.test_message_parts import in_dm, shown
from bot.stage import make_config, on_stage
from streamcord import SettingsError
from streamcord._bot.config import read_config
from streamcord._bot.config.sections import VoiceConfig
from streamcord._bot.reading.transcriber import BYTES, HttpTranscriber
from streamcord.testing import ScriptedProvider


class Listener:
    """A server that writes down what it hears, as a script says."""

    def __init__(self, *answers: tuple[int, str]) -> None:
        self.answers = list(answers)
        self.heard: list[tuple[str, bytes, str]] = []
        self.url = ""

    async def _answer(self, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        self.heard.append((str(form["model"]), file.file.read(), request.headers.get("Authorization", "")))
        status, text = self.answers.pop(0)
        return web.Response(status=status, text=text, content_type="application/json")

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_post("/v1/audio/transcriptions", self._answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        finally:
            await runner.cleanup()


async def test_a_voice_message_is_heard_once_and_shown_as_text() -> None:
    listener, model = (
        Listener((200, '{"text": "Where is the cat?"}')),
        ScriptedProvider(["Here."], ["Still."]),
    )
    async with listener.open() as url:
        config = make_config(voice={"model": "whisper-1", "base_url": url})
        async with on_stage(model, config=config) as stage:
            person = in_dm(stage)
            person.speak(b"OggS-sound", 3.0)
            await stage.texts(1, person.channel)
            await stage.quiet()
            person.say("and now?")
            await stage.texts(1, person.channel)

    assert listener.heard == [("whisper-1", b"OggS-sound", "")]
    assert "[voice message 3 s]\n  Where is the cat?\n[end of voice message]" in shown(model, 0)
    assert "Where is the cat?" in shown(model, 1)


@pytest.mark.parametrize("answer", [(500, "{}"), (200, "no json"), (200, '{"text": 3}'), (200, "[]")])
async def test_a_server_that_fails_costs_its_words_only(
    answer: tuple[int, str], caplog: pytest.LogCaptureFixture
) -> None:
    listener = Listener(answer)
    async with listener.open() as url:
        heard = await HttpTranscriber(VoiceConfig(model="m", base_url=url)).transcribe(1, b"x", "audio/ogg")

    assert heard == ""
    assert "could not be transcribed" in caplog.text


async def test_nothing_is_sent_of_a_huge_file_and_a_dead_server_is_no_error() -> None:
    nobody = HttpTranscriber(VoiceConfig(model="m", base_url="http://127.0.0.1:9"))

    assert await nobody.transcribe(1, b"x" * (BYTES + 1), "") == ""
    assert await nobody.transcribe(2, b"x", "") == ""


def test_the_key_comes_from_the_environment_and_never_travels_in_the_open() -> None:
    config = read_config({"voice": {"model": "whisper-1"}}, {"OPENAI_API_KEY": "sk-hidden"})

    assert config.voice.key == "sk-hidden"
    assert "sk-hidden" not in repr(config)
    with pytest.raises(SettingsError, match="https address"):
        read_config({"voice": {"base_url": "http://example.com/v1"}}, {})

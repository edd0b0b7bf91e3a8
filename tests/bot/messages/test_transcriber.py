from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.messages.test_message_parts import in_dm, shown
from bot.stage import make_config, on_stage
from streamcord import SettingsError
from streamcord.store import Account
from streamcord.testing import ScriptedProvider
from streamcord_bot.budget.limits import Payer
from streamcord_bot.config import VoiceConfig, read_config
from streamcord_bot.messages.transcriber import (
    BYTES_PER_MINUTE,
    MAX_AUDIO_BYTES,
    MIN_BYTES_PER_MINUTE,
    RETRY_AFTER_S,
    HttpTranscriber,
    minutes_of,
)


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


async def test_voice_message_is_transcribed_once() -> None:
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
    assert "transcribing a voice message failed" in caplog.text


async def test_one_that_failed_is_left_alone_for_a_while() -> None:
    """Else every question in the channel would wait for it once more, up to the timeout."""
    listener, now = Listener((500, "{}"), (200, '{"text": "At last."}')), [100.0]
    async with listener.open() as url:
        transcriber = HttpTranscriber(VoiceConfig(model="m", base_url=url), lambda: now[0])
        said = [await transcriber.transcribe(1, b"x", "") for _ in range(5)]
        assert (said, len(listener.heard)) == ([""] * 5, 1)
        now[0] += RETRY_AFTER_S
        assert await transcriber.transcribe(1, b"x", "") == "At last."


async def test_a_voice_message_is_paid_for_once_and_by_its_size() -> None:
    listener, asked = Listener((200, '{"text": "Hi."}')), list[float]()

    async def pay(money: float) -> bool:
        asked.append(money)
        return len(asked) > 1

    async with listener.open() as url:
        transcriber = HttpTranscriber(VoiceConfig(model="m", base_url=url, price=0.5))
        content = b"OggS".ljust(2 * BYTES_PER_MINUTE)
        said = [await transcriber.transcribe(1, content, "", pay) for _ in range(3)]

    assert said == ["", "Hi.", "Hi."]
    assert asked == [1.0, 1.0]
    assert len(listener.heard) == 1


async def test_requester_pays_for_transcription() -> None:
    """A long voice message does not fit the budget in money: it is told of, and not listened to."""
    listener, model = Listener((200, '{"text": "Hello?"}')), ScriptedProvider(["Here."], ["Still."])
    async with listener.open() as url:
        voice = {"model": "whisper-1", "base_url": url, "price": 1.0}
        config = make_config(voice=voice, budget={"person_money": 1.0})
        async with on_stage(model, config=config) as stage:
            person = in_dm(stage)
            for size in (2 * BYTES_PER_MINUTE, BYTES_PER_MINUTE // 2):
                person.speak(b"OggS".ljust(size), 1.0)
                await stage.texts(1, person.channel)
                await stage.quiet()
            spent = await stage.app.budget.totals(Payer(stage.twin.user.id))

    assert [len(content) for _, content, _ in listener.heard] == [BYTES_PER_MINUTE // 2]
    assert spent[Account("person", stage.twin.user.id)].money >= 500_000
    assert "Hello?" not in shown(model, 0)
    assert "Hello?" in shown(model, 1)


async def test_nothing_is_sent_of_a_huge_file_and_a_dead_server_is_no_error() -> None:
    nobody = HttpTranscriber(VoiceConfig(model="m", base_url="http://127.0.0.1:9"))

    assert await nobody.transcribe(1, b"x" * (MAX_AUDIO_BYTES + 1), "") == ""
    assert await nobody.transcribe(2, b"x", "") == ""


def test_the_key_comes_from_the_environment_and_never_travels_in_the_open() -> None:
    config = read_config({"voice": {"model": "whisper-1"}}, {"OPENAI_API_KEY": "sk-hidden"})

    assert config.voice.key == "sk-hidden"
    assert "sk-hidden" not in repr(config)
    with pytest.raises(SettingsError, match="https address"):
        read_config({"voice": {"base_url": "http://example.com/v1"}}, {})


async def test_an_answer_that_is_nested_too_deeply_is_a_failure_of_the_server() -> None:
    listener = Listener((200, "[" * 100_000))
    async with listener.open() as url:
        transcriber = HttpTranscriber(VoiceConfig(model="whisper-1", base_url=url))
        assert await transcriber.transcribe(1, b"OggS", "audio/ogg") == ""
        # It is not asked, nor paid, again.
        assert await transcriber.transcribe(1, b"OggS", "audio/ogg") == ""

    assert len(listener.heard) == 1


def ogg(packets: int, head: int) -> bytes:
    """Pages of Opus packets of six bytes each."""
    pages = []
    for at in range(0, packets, 255):
        count = min(255, packets - at)
        pages.append(
            b"OggS" + bytes(22) + bytes([count]) + b"\x06" * count + bytes([head, 1, 0, 0, 0, 0]) * count
        )
    return b"".join(pages)


def test_the_price_counts_the_minutes_that_are_played() -> None:
    # 10 000 packets of 60 ms are ten minutes in 72 KB, which look like eighteen seconds by their size.
    assert minutes_of(ogg(10_000, 3 << 3)) == pytest.approx(10)
    assert minutes_of(ogg(300, 31 << 3)) == pytest.approx(0.1)
    assert minutes_of(b"OggS" + bytes(BYTES_PER_MINUTE)) >= 1
    assert minutes_of(b"ID3" + bytes(MIN_BYTES_PER_MINUTE)) >= 1
    for cut in range(0, 200, 7):
        assert minutes_of(ogg(100, 3 << 3)[:cut]) >= 0

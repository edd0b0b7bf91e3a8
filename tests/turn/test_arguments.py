"""What `say` is given by mistake: one clear error that says what to write, and nothing is sent."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from streamcord import Ending, Message, Receipt, Settings, Turn, TurnResult, WordList, say
from streamcord._turn.closing import cancel_and_wait, close_stream, wait_briefly
from streamcord._turn.idle_timer import IdleLimits, IdleTimer
from streamcord.providers import Options, Prompt
from streamcord.testing import FakeChannel
from virtual_time import now, timeless


async def words(*texts: Any) -> AsyncIterator[Any]:
    for text in texts:
        yield text


async def ask() -> AsyncIterator[str]:
    return words("Hi.")


def sync_words() -> Iterator[str]:
    yield "Hi."


@asynccontextmanager
async def manager() -> AsyncIterator[AsyncIterator[str]]:
    yield words("Hi.")


class Model:
    def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[str]:
        raise NotImplementedError


class StreamedRunResult:
    def stream_text(self) -> AsyncIterator[str]:
        return words("Hi.")


class Completion:
    """What an SDK answers that was not asked for a stream; such models can be iterated over."""

    def model_dump(self) -> dict[str, object]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[object]:
        raise NotImplementedError


SOURCES = [
    (ask, "coroutine.*await it first"),
    (manager, "enter it first: `async with"),
    (lambda: words, "function.*call it"),
    (lambda: ask, "function.*call it and await it"),
    (sync_words, "generator.*async client"),
    (lambda: iter(["Hi."]), "list_iterator.*async client"),
    (lambda: ["Hi."], "list.*async iterator of text: .*`for text in texts: yield text`, called"),
    (lambda: ("Hi.",), "tuple.*async iterator of text"),
    (lambda: b"Hi.", r"bytes.*decode it: `say\(channel, data.decode\(\)\)`"),
    (lambda: {"choices": []}, "dict.*the text in it"),
    (Completion, "Completion.*whole answer.*`stream=True`"),
    (lambda: 5, "int.*async iterator of text"),
    (lambda: None, "NoneType.*async iterator of text"),
    (lambda: ValueError("x"), "ValueError.*async iterator of text"),
    (Model, r"Model.*provider\.stream"),
    (StreamedRunResult, r"result\.stream_text"),
    (lambda: FakeChannel, "type"),
    (FakeChannel, r"FakeChannel.*where to speak comes first.*say\(channel, stream\)"),
]


async def test_generator_that_was_read_is_refused() -> None:
    stream = words("Hi.")
    await say(FakeChannel(), stream)
    channel = FakeChannel()

    with pytest.raises(TypeError, match=r"cannot read words again.*call its function again"):
        await say(channel, stream)

    assert channel.messages == []


@pytest.mark.parametrize(("make", "advice"), SOURCES)
async def test_what_cannot_be_read_is_refused_with_advice(make: Any, advice: str) -> None:
    channel = FakeChannel()

    with pytest.raises(TypeError, match=advice):
        await say(channel, make())

    assert channel.messages == []
    assert channel.typing_calls == 0


PY_CORD = """
import asyncio, sys
sys.path.insert(0, {folder!r})
import discord
from streamcord import Receipt, say

class Mine:
    async def send(self, message):
        print(message.content)
        return Receipt(message, 1)
    async def typing(self):
        pass

async def words():
    yield "Hello."

async def main():
    await say(Mine(), words())
    try:
        await say(discord.TextChannel(), words())
    except TypeError as error:
        print(error)

asyncio.run(main())
"""
# What py-cord's package has and discord.py's has not, and the class that discord.py's users may subscript.
PY_CORD_PACKAGE = """
class ApplicationContext: ...
class Interaction: ...
class TextChannel:
    async def send(self, content): ...
    def typing(self): ...
"""


def test_own_transport_works_with_py_cord_imported(tmp_path: Path) -> None:
    (tmp_path / "discord").mkdir()
    (tmp_path / "discord" / "__init__.py").write_text(PY_CORD_PACKAGE)

    script = PY_CORD.format(folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    hello, refused = done.stdout.splitlines() or [done.stderr, ""]
    assert hello == "Hello."
    assert "another library write a transport" in refused


ITEMS = [
    (b"Hi.", "bytes: decode it"),
    (bytearray(b"Hi."), "bytearray: decode it"),
    ({"choices": [{"delta": {"content": "Hi."}}]}, "dict: wrap the stream.*from_openai"),
    (5, r"int: yield str\(number\)"),
    (0.5, r"float: yield str\(number\)"),
    (True, r"bool: yield str\(number\)"),
    (ValueError("x"), "ValueError: raise it"),
    (["Hi."], "list: yield its items"),
    (("Hi.",), "tuple: yield its items"),
    ((), "tuple: yield its items"),
    (object(), "object, which is neither text nor an event.*from_openai"),
]


@pytest.mark.parametrize(("item", "advice"), ITEMS)
@pytest.mark.parametrize("settings", [Settings(), Settings(stop_strings=("###",))])
async def test_a_source_that_yields_something_else_is_refused(
    item: object, advice: str, settings: Settings
) -> None:
    channel = FakeChannel()

    with pytest.raises(TypeError, match=f"the source yielded .*{advice}") as caught:
        await say(channel, words(item, "Hi."), settings=settings)

    assert channel.messages == []
    result: TurnResult = caught.value.result  # type: ignore[attr-defined]
    assert result.ending is Ending.ERROR


async def test_a_coroutine_in_a_source_is_refused() -> None:
    pending = ask()

    with pytest.raises(TypeError, match="coroutine: await it"):
        await say(FakeChannel(), words(pending))

    pending.close()


async def test_words_before_the_mistake_are_not_lost() -> None:
    channel = FakeChannel()

    with pytest.raises(TypeError, match="int"):
        await say(channel, words("One.\nTwo", 5))

    assert channel.texts == ["One.", "Two"]


@pytest.mark.parametrize("settings", [Settings(), Settings(stop_strings=("###",))])
async def test_none_is_no_text(settings: Settings) -> None:
    channel = FakeChannel()

    result = await say(channel, words(None, "Hello ", None, "there.", None), settings=settings)

    assert channel.texts == ["Hello there."]
    assert result.ending is Ending.COMPLETED


WRONG = [
    ({"random": 1}, r"random must be a random.Random, not int: write random=Random\(1\)"),
    ({"sleep": lambda _: None}, r"sleep must be an async function"),
    ({"sleep": 5}, r"sleep must be an async function"),
    ({"clock": 5}, r"clock must be a function that returns seconds"),
    ({"observe": "x"}, r"observe must be a function, not str: write observe=print"),
    ({"renderers": [type("Bars", (), {"draw": None})]}, r"renderers\[0\] is the class Bars: write Bars\(\)"),
    ({"moderators": [WordList]}, r"moderators\[0\] is the class WordList: write WordList\(...\)"),
]


@pytest.mark.parametrize(("argument", "advice"), WRONG)
async def test_wrong_argument_is_refused_before_anything_is_sent(
    argument: dict[str, Any], advice: str
) -> None:
    channel = FakeChannel()

    with pytest.raises(TypeError, match=advice):
        await say(channel, words("Hi."), **argument)

    assert channel.messages == []


class Deaf:
    async def send(self, message: Message) -> Receipt:
        raise AssertionError("nothing is sent")


class disnake_channel:  # noqa: N801
    """What a channel of another library looks like."""

    __module__ = "disnake.channel"

    async def send(self, content: object) -> object:
        raise AssertionError("nothing is sent")

    def typing(self) -> object:
        raise AssertionError("nothing is sent")


TARGETS = [
    (None, "NoneType, which has no send and no typing.*channel, message or interaction of discord.py"),
    (Deaf(), "Deaf, which has no typing"),
    (FakeChannel, r"class itself: write FakeChannel\(...\)"),
    (disnake_channel(), "knows the objects of discord.py.*write a transport"),
    (123456789, "int, which has no send"),
]


@pytest.mark.parametrize(("target", "advice"), TARGETS)
async def test_where_nothing_can_be_sent_is_refused_and_the_source_is_closed(
    target: Any, advice: str
) -> None:
    source = words("Hi.")

    with pytest.raises(TypeError, match=f"(?s)say.*{advice}"):
        await say(target, source)

    with pytest.raises(StopAsyncIteration):
        await anext(source)


class Forgetful(FakeChannel):
    async def send(self, message: Message) -> Any:
        await super().send(message)


class Plain(FakeChannel):
    def send(self, message: Message) -> Any:
        self.messages.append(message)
        return Receipt(message, 1)


class Lazy(FakeChannel):
    def send(self, message: Message) -> Any:
        return super().send(message)


@pytest.mark.parametrize(
    ("channel", "advice"),
    [
        (Forgetful(), r"^Forgetful\.send returned NoneType: return a Receipt, for example `return Receipt\("),
        (Plain(), r"^Plain\.send is not async: write `async def send`$"),
    ],
)
async def test_a_transport_with_a_slip_is_told_what_to_write(channel: FakeChannel, advice: str) -> None:
    with pytest.raises(TypeError, match=advice) as caught:
        await say(channel, words("Hi.\nAgain."))

    assert channel.texts == ["Hi."]
    result: TurnResult = caught.value.result  # type: ignore[attr-defined]
    assert result.ending is Ending.ERROR


async def test_a_send_that_returns_something_to_await_is_as_good_as_an_async_one() -> None:
    channel = Lazy()
    await say(channel, words("Hi."))

    assert channel.texts == ["Hi."]


async def test_a_coroutine_is_not_left_behind() -> None:
    pending: Any = ask()

    with pytest.raises(TypeError, match="await it first"):
        await say(FakeChannel(), pending)

    assert pending.cr_frame is None


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        (
            {"settings": {"degree": 0}},
            r"settings must be a Settings, not dict: write Settings\(degree=0\)",
        ),
        ({"settings": Settings}, "settings must be a Settings, not the class Settings"),
        ({"stop": True}, r"stop must be a Stop, not bool: make one with Stop\(\)"),
        (
            {"journal": "streamcord.db"},
            r"journal must be one turn of a journal, not str: write journal.begin\(",
        ),
        ({"journal": []}, r"not list: .* or give one of `await journal.unfinished\(\)`"),
        ({"rules": str.upper}, r"rules must be a list of functions: write rules=\[\.\.\.\]"),
        ({"rules": ["upper"]}, "rules must be a list of functions"),
        ({"rules": (one for one in [str.upper])}, "rules must be a list of functions"),
        ({"renderers": True}, "renderers must be a list of objects with draw"),
        ({"moderators": WordList(["x"])}, "moderators must be a list of objects with async def check"),
        ({"moderators": ["bad word"]}, "moderators must be a list of objects with async def check"),
    ],
)
async def test_what_is_given_besides_is_refused_with_advice_before_a_word_is_said(
    given: dict[str, Any], advice: str
) -> None:
    channel = FakeChannel()
    with pytest.raises(TypeError, match=advice):
        await say(channel, words("Hi."), **given)

    assert channel.texts == []


async def test_a_turn_refuses_the_same() -> None:
    with pytest.raises(TypeError, match="int as a stream"):
        Turn(FakeChannel(), 5)  # type: ignore[arg-type]
    await asyncio.sleep(0)


@timeless
async def test_silence_is_noticed_after_the_idle_time() -> None:
    silent = asyncio.Event()
    with IdleTimer(lambda: False, IdleLimits(10, 30), silent.set) as timer:
        await asyncio.sleep(4)
        timer.record_event(progress=True)
        await silent.wait()

    assert (now(), timer.expired) == (14, 10)


@timeless
async def test_signs_of_life_alone_are_silence_after_a_while() -> None:
    silent = asyncio.Event()
    with IdleTimer(lambda: False, IdleLimits(10, 30), silent.set) as timer:
        while not silent.is_set():
            timer.record_event(progress=False)
            await asyncio.sleep(1)

    assert (now(), timer.expired) == (30, 30)


@timeless
async def test_time_in_which_nobody_waits_does_not_count() -> None:
    silent = asyncio.Event()
    with IdleTimer(lambda: now() < 100, IdleLimits(10, 30), silent.set):
        await silent.wait()

    assert 100 <= now() <= 110


@timeless
async def test_after_the_block_nobody_on_silences() -> None:
    silent = asyncio.Event()
    with IdleTimer(lambda: False, IdleLimits(10, 30), silent.set):
        pass
    await asyncio.sleep(60)

    assert not silent.is_set()


async def cling() -> None:
    while now() < 50:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            continue


class Closing:
    def __init__(self, error: Exception | None = None, seconds: float = 0.0) -> None:
        self.error, self.seconds = error, seconds

    async def aclose(self) -> None:
        await asyncio.sleep(self.seconds)
        if self.error:
            raise self.error


@timeless
async def test_a_task_is_ended_at_once_if_it_lets_go() -> None:
    task = asyncio.create_task(asyncio.sleep(100))
    await asyncio.sleep(0)
    await cancel_and_wait(task, 5)

    assert task.cancelled()
    assert now() == 0


@timeless
async def test_a_task_that_clings_is_left_behind() -> None:
    task = asyncio.create_task(cling())
    await asyncio.sleep(0)
    await cancel_and_wait(task, 5)

    assert not task.done()
    assert now() == 5
    await task


@timeless
async def test_a_task_may_finish_in_its_last_moment_and_what_it_raises_is_seen() -> None:
    async def fail() -> None:
        await asyncio.sleep(3)
        raise ValueError

    task = asyncio.create_task(fail())
    await wait_briefly(task, 5)

    assert now() == 3
    assert isinstance(task.exception(), ValueError)


@timeless
async def test_what_a_source_raises_when_it_is_closed_is_told() -> None:
    error = OSError("socket")

    assert await close_stream(Closing(), 5) is None
    assert await close_stream(Closing(error), 5) is error
    assert await close_stream(Closing(error), 5, still_read=True) is None
    assert await close_stream(object(), 5) is None


@timeless
async def test_a_source_that_does_not_close_is_left_behind() -> None:
    assert await close_stream(Closing(seconds=100), 5) is None
    assert now() == 5


@timeless
async def test_a_source_that_is_being_read_cannot_be_closed_and_that_is_fine() -> None:
    async def source() -> AsyncIterator[int]:
        await asyncio.sleep(10)
        yield 1

    stream = source()
    reading = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(1)

    assert await close_stream(stream, 5, still_read=True) is None
    await reading

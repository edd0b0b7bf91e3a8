"""A stream that breaks is taken up again where the provider keeps it, and nothing is generated twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from providers.loopback import timeless
from providers.resumable_server import Events, ResumableServer, interactions, responses, resumable
from streamcord import Finish, ProviderEvent, TextDelta, ToolCall, Truncated, Usage
from streamcord._exceptions import ProviderError
from streamcord.providers import HttpProvider, Options, user, with_fallbacks
from streamcord.records import Seam, StreamPosition

PIECES = ["The ", "cät ", "sat on", " the m", "at. ", "昔々", "、🐈‍⬛ ", "and **slept**", ".\n\nThe end", "."]
TEXT = "".join(PIECES)
KINDS: dict[str, tuple[str, Callable[[str], Events]]] = {
    "openai-responses": ("openai-responses", responses(PIECES)),
    "google-interactions": ("google-interactions", interactions(PIECES)),
    "numbered interactions": ("google-interactions", interactions(PIECES, lambda at: f"evt_{at}")),
}
RESUMABLE = Options(resumable=True)


def provider_of(server: ResumableServer, preset: str) -> HttpProvider:
    return HttpProvider(preset, key="secret", base_url=server.url, model="tiny")


async def read(
    provider: HttpProvider, options: Options = RESUMABLE
) -> tuple[list[ProviderEvent], ProviderError | None]:
    events: list[ProviderEvent] = []
    try:
        async for event in provider.stream(user("Hi"), options):
            events.append(event)
    except ProviderError as error:
        return events, error
    return events, None


def text_of(events: list[ProviderEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize("kind", KINDS)
def test_cut_at_every_event_and_at_bytes_of_each_gives_the_same_text(kind: str) -> None:
    preset, make = KINDS[kind]
    sizes = [len(data) for _, data in make("answer 0/ä")]

    @timeless
    async def run() -> None:
        for number, size in enumerate(sizes):
            start = sum(sizes[:number])
            # Every byte is in tools/cut_streams.py; here the borders of its lines and one place inside.
            for cut in {
                start,
                start + 1,
                start + size // 2,
                start + size - 3,
                start + size - 2,
                start + size - 1,
            }:
                async with resumable(make, cuts=[cut]) as server, provider_of(server, preset) as provider:
                    events, error = await read(provider)
                    has_position = number > 0 or cut - start >= size - 2
                    if not has_position:
                        assert isinstance(error, Truncated)
                        continue
                    assert error is None, (number, cut)
                    assert text_of(events) == TEXT
                    assert server.generated == 1
                    assert [event for event in events if isinstance(event, Usage)] == [Usage(7, len(PIECES))]
                    assert sum(isinstance(event, Seam) for event in events) <= 1
                    assert isinstance(events[-1], Finish)

    run()


@timeless
async def test_stream_that_breaks_at_every_event_is_taken_up_every_time() -> None:
    make = responses(PIECES)
    sizes = [len(data) for _, data in make("answer 0/ä")]
    async with (
        resumable(make, cuts=list(sizes)) as server,
        provider_of(server, "openai-responses") as provider,
    ):
        events, error = await read(provider)

    assert error is None
    assert text_of(events) == TEXT
    assert (server.generated, len(server.requests)) == (1, len(sizes))
    assert server.bodies[0]["background"] is server.bodies[0]["store"] is True
    assert server.requests[1] == "GET /v1/responses/answer%200%2F%C3%A4?stream=true&starting_after=0"


@timeless
async def test_another_process_goes_on_from_every_position() -> None:
    for preset, make in KINDS.values():
        async with resumable(make, pause=0.01) as server, provider_of(server, preset) as provider:
            events, _ = await read(provider)
            places = [at for at, event in enumerate(events) if isinstance(event, StreamPosition)]
            assert len(places) > len(PIECES)
            for at in places:
                place = events[at]
                assert isinstance(place, StreamPosition)
                assert provider.owns(place)
                rest, error = await read(provider, Options(resume=place))
                assert error is None
                assert text_of(events[:at]) + text_of(rest) == TEXT
                # Text that was received after the position does not come twice.
                since = text_of(events[at:])[:5]
                rest, error = await read(provider, Options(resume=replace(place, since=since)))
                assert text_of(events[:at]) + since + text_of(rest) == TEXT
        assert server.generated == 1


@pytest.mark.parametrize(
    ("kind", "change", "complete"),
    [
        ("openai-responses", {"offset": -3}, True),
        ("openai-responses", {"from_start": True}, True),
        ("openai-responses", {"offset": 1}, False),
        ("openai-responses", {"forgets": True}, False),
        ("google-interactions", {"from_start": True}, True),
        ("google-interactions", {"offset": -1}, True),
        ("google-interactions", {"forgets": True}, False),
        ("numbered interactions", {"offset": -3}, True),
        ("numbered interactions", {"offset": 1}, False),
    ],
)
def test_wrong_places_lose_and_double_nothing(kind: str, change: dict[str, object], complete: bool) -> None:
    preset, make = KINDS[kind]

    @timeless
    async def run() -> None:
        cut = sum(len(data) for _, data in make("answer 0/ä")[:7]) + 5
        async with resumable(make, cuts=[cut], **change) as server, provider_of(server, preset) as provider:
            events, error = await read(provider)
            if complete:
                assert error is None
                assert text_of(events) == TEXT
            else:
                assert isinstance(error, Truncated)
                assert TEXT.startswith(text_of(events))
            assert server.generated == 1

    run()


@timeless
async def test_another_answer_under_the_same_position_is_refused() -> None:
    other = responses([piece.upper() for piece in PIECES])
    async with resumable(responses(PIECES)) as server, provider_of(server, "openai-responses") as provider:
        events, _ = await read(provider)
        place = next(event for event in events if isinstance(event, StreamPosition))
        server.answers[place.response] = other(place.response)
        rest, error = await read(provider, Options(resume=replace(place, after="1", since=PIECES[0])))
        assert isinstance(error, Truncated)
        assert text_of(rest) == ""
        server.answers[place.response] = other("another")
        _, error = await read(provider, Options(resume=replace(place, after="10", since="")))
        assert isinstance(error, Truncated)


@timeless
async def test_call_that_is_cut_is_made_once() -> None:
    make = responses(PIECES[:2], call="roll")
    sizes = [len(data) for _, data in make("answer 0/ä")]
    for cut in range(sum(sizes[:5]), sum(sizes), 40):
        async with resumable(make, cuts=[cut]) as server, provider_of(server, "openai-responses") as provider:
            events, error = await read(provider)
        assert error is None
        assert [event for event in events if isinstance(event, ToolCall)] == [
            ToolCall("c1", "roll", {"sides": 6})
        ]
        assert text_of(events) == "".join(PIECES[:2])


@timeless
async def test_position_of_another_provider_is_not_sent_anywhere() -> None:
    place = StreamPosition("resp_1", "3", owner="openai-responses@example.com")
    async with resumable(responses(PIECES)) as server, provider_of(server, "openai-responses") as provider:
        assert not provider.owns(place)
        events, error = await read(provider, Options(resume=place))
        assert (events, isinstance(error, ProviderError)) == ([], True)
        assert not server.requests


@timeless
async def test_without_the_option_nothing_is_stored_and_no_position_is_told() -> None:
    async with (
        resumable(responses(PIECES), cuts=[900]) as server,
        provider_of(server, "openai-responses") as provider,
    ):
        events, error = await read(provider, Options())

    assert isinstance(error, Truncated)
    assert server.bodies[0]["store"] is False
    assert "background" not in server.bodies[0]
    assert not [event for event in events if isinstance(event, StreamPosition)]


@timeless
async def test_fallback_goes_on_in_words_where_the_stream_is_gone() -> None:
    make = responses(PIECES)
    cut = sum(len(data) for _, data in make("answer 0/ä")[:6])
    async with (
        resumable(make, cuts=[cut], forgets=True) as server,
        provider_of(server, "openai-responses") as first,
    ):
        provider = with_fallbacks(first, names=["main"], after_failure="continue")
        assert provider.owns(StreamPosition("1", "1", owner=first._owner))
        events = [event async for event in provider.stream(user("Hi"), RESUMABLE)]

    # The second request starts over, and only what is new is shown.
    assert text_of(events) == TEXT
    assert [event.how for event in events if isinstance(event, Seam)] == ["continued"]
    assert server.generated == 2


@timeless
async def test_stopped_answer_can_be_ended_at_its_provider() -> None:
    for preset, make in KINDS.values():
        async with resumable(make) as server, provider_of(server, preset) as first:
            provider = with_fallbacks(first)
            events, _ = await read(first)
            last = [event for event in events if isinstance(event, StreamPosition)][-1]
            assert await provider.cancel(last)
            assert not await provider.cancel(replace(last, owner="elsewhere"))
        path = "responses" if "responses" in preset else "interactions"
        assert server.requests[1:] == [f"POST /v1/{path}/answer%200%2F%C3%A4/cancel"]

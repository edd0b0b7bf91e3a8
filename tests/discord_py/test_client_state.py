from __future__ import annotations

import asyncio

from delivery.stage import on_stage
from streamcord._discord.client_state import Bucket, find_bucket, find_client, find_http, reopen
from streamcord.twin import Switches
from virtual import now, timeless


@timeless
async def test_the_client_and_its_http_side_are_found_from_any_place() -> None:
    async with on_stage() as stage:
        message = await stage.hear("hello")
        for place in (stage.find(), message, message.author):
            assert find_client(place) is stage.client
            assert find_http(place) is stage.client.http


def test_a_stranger_has_neither() -> None:
    assert (find_client(object()), find_http(object())) == (None, None)


@timeless
async def test_a_bucket_is_what_the_headers_said() -> None:
    async with on_stage(Switches()) as stage:
        http, place = stage.client.http, stage.find()
        assert find_bucket(http, place.id, now()) is None
        await place.send("one")
        await place.send("two")
        bucket = find_bucket(http, place.id, now())

        assert bucket is not None
        assert (bucket.used, bucket.limit) == (2, 5)
        assert 1.9 < bucket.seconds <= 2.001
        assert find_bucket(http, place.id, now() + 10) == Bucket(0, 5, 0.0)


@timeless
async def test_a_gate_that_was_left_shut_is_opened() -> None:
    async with on_stage() as stage:
        gate = stage.client.http._global_over
        gate.clear()
        reopen(stage.client.http)
        await asyncio.sleep(60)

        assert gate.is_set()
    reopen(object())

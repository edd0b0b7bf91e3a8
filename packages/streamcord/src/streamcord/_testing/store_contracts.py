"""Contract tests for stores: derive from `StoreContract` and add a fixture.

What every store must keep of settings, labels, tables, memories and spending; personas are in
`persona_store_checks.py`.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store_factory(self, tmp_path: Path) -> StoreFactory:
            return lambda clock: MyStore.open(tmp_path / "mine", clock=clock)

Each check of a store opens it itself, at least once, and closes it. It needs an empty one to begin with.
"""

from __future__ import annotations

import asyncio

import pytest

from .. import Persona, Sprite
from ..store import (
    MAX_MEMORIES,
    TABLE_SOURCE_LIFETIME_S,
    Account,
    Memory,
    Picture,
    Place,
    Spending,
    StoredPersona,
)
from .persona_store_checks import (
    BASE,
    ELSEWHERE,
    GUILD,
    OTHER_GUILD,
    PERSONA_CHECKS,
    PLACE,
    ManualClock,
    StoreCheck,
    StoreFactory,
    answer_number,
    assert_refused,
    opened_store,
    recalled_texts,
)

__all__ = ["STORE_CHECKS", "StoreCheck", "StoreContract", "StoreFactory"]

WRITERS = 50
DAY = 20_000


async def settings_keep_their_types(store_factory: StoreFactory) -> None:
    """Whatever JSON can say comes back equal and of its type, after a restart too."""
    values = {
        "degree": 3,
        "typing_delay_max": 2.5,
        "rules": False,
        "prefill": "Sure,\n\x00 \ud800",
        "list": [1, "two"],
    }
    async with opened_store(store_factory) as store:
        await store.change_settings(PLACE, values)
    async with opened_store(store_factory) as store:
        found = await store.settings(PLACE)
        assert found == values
        assert {name: type(value) for name, value in found.items()} == {
            name: type(value) for name, value in values.items()
        }


async def settings_change_one_by_one(store_factory: StoreFactory) -> None:
    """What is not named stays, `None` unsets, and each place has its own."""
    async with opened_store(store_factory) as store:
        await store.change_settings(PLACE, {"a": 1, "b": 2, "c": 3})
        await store.change_settings(PLACE.server, {"a": 9})
        await store.change_settings(PLACE, {"b": None, "c": 4, "unknown": None})
        await store.change_settings(PLACE, {})
        assert await store.settings(PLACE) == {"a": 1, "c": 4}
        assert await store.settings(PLACE.server) == {"a": 9}
        assert await store.settings(ELSEWHERE) == {}


async def labels_are_found_by_message(store_factory: StoreFactory) -> None:
    """Among any number of ids; a second label replaces the first."""
    async with opened_store(store_factory) as store:
        await store.label_messages({BASE + 1: "Luna (mad): ", BASE + 2: "Luna (sad): "})
        await store.label_messages({BASE + 2: "Luna (shy): "})
        await store.label_messages({})
        many = range(BASE, BASE + 1500)
        assert await store.labels(many) == {BASE + 1: "Luna (mad): ", BASE + 2: "Luna (shy): "}
        assert await store.labels([]) == {}


async def a_table_is_kept_for_two_hours(store_factory: StoreFactory) -> None:
    """Just before it is there, then it is not."""
    clock = ManualClock()
    async with opened_store(store_factory, clock) as store:
        await store.save_table(BASE, "| a |\n|---|\n| 😀 |")
        clock.now += TABLE_SOURCE_LIFETIME_S - 1
        assert await store.find_table(BASE) == "| a |\n|---|\n| 😀 |"
        await store.save_table(BASE + 1, "younger")
        clock.now += 1
        assert await store.find_table(BASE) is None
        assert await store.find_table(BASE + 1) == "younger"


async def deleted_messages_never_happened(store_factory: StoreFactory) -> None:
    """Label, table, and the whole answer that one of them was a part of."""
    async with opened_store(store_factory) as store:
        await store.label_messages({BASE + 1: "Luna (mad): ", BASE + 2: "Luna (mad): "})
        await store.save_table(BASE + 2, "| a |")
        await store.remember(Memory("Luna", PLACE, "gone", (BASE + 1, BASE + 2)))
        await store.remember(answer_number(3))
        await store.forget_messages([BASE + 2, *range(BASE + 10, BASE + 1500)])
        assert await store.labels([BASE + 1, BASE + 2]) == {BASE + 1: "Luna (mad): "}
        assert await store.find_table(BASE + 2) is None
        assert await recalled_texts(store) == ["answer 3"]


async def an_answer_is_remembered_whole(store_factory: StoreFactory) -> None:
    """Every field of it; what no database can hold becomes U+FFFD, and the text stays."""
    clock = ManualClock()
    said = Memory("Luna", PLACE, "Hm.\n\ud800\x00 – ok 😀", (BASE + 2, BASE + 1), ("likes tea", ""), 7)
    async with opened_store(store_factory, clock) as store:
        await store.remember(said)
    async with opened_store(store_factory) as store:
        text, messages = "Hm.\n\ufffd\ufffd – ok 😀", (BASE + 1, BASE + 2)
        assert await store.recall("luna", PLACE) == (
            Memory("Luna", PLACE, text, messages, ("likes tea", ""), 7, clock.now),
        )


async def the_last_ten_answers_stay(store_factory: StoreFactory) -> None:
    """Of each persona in each channel, the newest last; a server remembers the last ten of its channels."""
    async with opened_store(store_factory) as store:
        for number in range(MAX_MEMORIES + 2):
            await store.remember(answer_number(number))
        await store.remember(answer_number(50, place=ELSEWHERE))
        await store.remember(answer_number(60, "Ren"))
        kept = [f"answer {number}" for number in range(2, MAX_MEMORIES + 2)]
        assert await recalled_texts(store) == kept
        assert await recalled_texts(store, place=ELSEWHERE) == ["answer 50"]
        assert await recalled_texts(store, "Ren") == ["answer 60"]
        assert await recalled_texts(store, place=PLACE.server) == [*kept[1:], "answer 50"]


async def direct_messages_stay_among_themselves(store_factory: StoreFactory) -> None:
    """No place sees what was said in a direct message but the message's own."""
    direct = Place(0, BASE + 9)
    async with opened_store(store_factory) as store:
        await store.remember(answer_number(1, place=direct))
        for place in (Place(), Place(0, BASE + 8), PLACE, PLACE.server):
            assert await recalled_texts(store, place=place) == []
            assert await store.forget(place) == 0
        assert (
            await recalled_texts(store, place=direct)
            == await recalled_texts(store, place=direct.server)
            == ["answer 1"]
        )


async def memories_are_forgotten_by_place_and_persona(store_factory: StoreFactory) -> None:
    """In a channel, of one persona, in a whole server; it says how many went."""
    async with opened_store(store_factory) as store:
        for number, persona, place in (
            (1, "Luna", PLACE),
            (2, "Ren", PLACE),
            (3, "Luna", ELSEWHERE),
            (4, "Luna", Place(OTHER_GUILD, 5)),
        ):
            await store.remember(answer_number(number, persona, place))
        assert await store.forget(PLACE, "LUNA") == 1
        assert await recalled_texts(store, "Ren") == ["answer 2"]
        assert await store.forget(PLACE.server) == 2
        assert await recalled_texts(store, place=Place(OTHER_GUILD)) == ["answer 4"]


async def a_person_is_forgotten_everywhere(store_factory: StoreFactory) -> None:
    """All answers to them and the tables in these, and no one else's."""
    async with opened_store(store_factory) as store:
        await store.remember(answer_number(1, user=7))
        await store.remember(answer_number(2, user=8))
        await store.remember(answer_number(3, "Ren", Place(0, 5), user=7))
        for number in (1, 2):
            await store.save_table(BASE + number, "| a |")
        mine, theirs = Account("person", 7), Account("server", 7)
        await store.add_spending(DAY, {mine: Spending(1), theirs: Spending(1)})
        assert await store.forget_person(7) == 2
        assert await store.spending(DAY, [mine, theirs]) == {mine: Spending(), theirs: Spending(1)}
        assert await recalled_texts(store) == ["answer 2"]
        assert await recalled_texts(store, "Ren", Place(0, 5)) == []
        assert [await store.find_table(BASE + number) for number in (1, 2)] == [None, "| a |"]


async def spending_adds_up_by_day_and_account(store_factory: StoreFactory) -> None:
    """A person and a server with the same id are two accounts; nothing is lost when all add at once."""
    person, server, everybody = Account("person", GUILD), Account("server", GUILD), Account("all")
    async with opened_store(store_factory) as one, opened_store(store_factory) as other:
        await asyncio.gather(
            *(
                store.add_spending(DAY, {person: Spending(1, 10, 100), everybody: Spending(1, 10, 100)})
                for _ in range(10)
                for store in (one, other)
            )
        )
        totals = await other.add_spending(DAY, {person: Spending(0, -50, 0), server: Spending(1)})
        assert totals == {person: Spending(20, 150, 2000), server: Spending(1)}
        assert await one.spending(DAY, [everybody]) == {everybody: Spending(20, 200, 2000)}
        assert await one.spending(DAY + 1, [everybody, person]) == {everybody: Spending(), person: Spending()}


async def fifty_writers_lose_nothing(store_factory: StoreFactory) -> None:
    """Settings of one place, sprites of one persona and answers in many channels, all at the same time."""
    async with opened_store(store_factory) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), GUILD))

        async def write(number: int) -> None:
            await asyncio.gather(
                store.change_settings(PLACE, {f"setting {number:02}": number}),
                store.save_sprite(GUILD, "Luna", Sprite(f"look {number:02}"), Picture(content=b"x")),
                store.remember(answer_number(number, place=Place(GUILD, number + 1))),
                store.label_messages({BASE + number: "x", BASE + 1000 - number: "y"}),
                store.choose_persona(Place(GUILD, number + 1), f"name {number}"),
            )

        await asyncio.gather(*map(write, range(WRITERS)))
        assert await store.settings(PLACE) == {f"setting {number:02}": number for number in range(WRITERS)}
        (found,) = await store.personas(GUILD)
        assert [sprite.name for sprite in found.persona.sprites] == [f"look {n:02}" for n in range(WRITERS)]
        assert len(await store.labels(range(BASE, BASE + 1001))) == 2 * WRITERS
        for number in range(WRITERS):
            assert await recalled_texts(store, place=Place(GUILD, number + 1)) == [f"answer {number}"]
            assert await store.find_choice(Place(GUILD, number + 1)) == f"name {number}"


async def two_connections_see_each_others_writes(store_factory: StoreFactory) -> None:
    """What one has written the other reads at once."""
    async with opened_store(store_factory) as one, opened_store(store_factory) as other:
        await one.change_settings(PLACE, {"degree": 1})
        assert await other.settings(PLACE) == {"degree": 1}
        await asyncio.gather(
            *(
                store.change_settings(PLACE, {f"{store is one} {n}": n})
                for n in range(20)
                for store in (one, other)
            )
        )
        assert len(await one.settings(PLACE)) == len(await other.settings(PLACE)) == 41


async def a_closed_store_says_so(store_factory: StoreFactory) -> None:
    """Closing finishes what was begun, may be done twice, and what comes later is an error."""
    store = await store_factory(ManualClock())
    begun = asyncio.gather(*(store.change_settings(PLACE, {str(n): n}) for n in range(20)))
    await asyncio.sleep(0)
    await store.close()
    await begun
    await store.close()
    await assert_refused(store.settings(PLACE))
    await assert_refused(store.change_settings(PLACE, {"a": 1}))
    async with opened_store(store_factory) as again:
        assert len(await again.settings(PLACE)) == 20


STORE_CHECKS: tuple[StoreCheck, ...] = (
    *PERSONA_CHECKS,
    settings_keep_their_types,
    settings_change_one_by_one,
    labels_are_found_by_message,
    a_table_is_kept_for_two_hours,
    deleted_messages_never_happened,
    an_answer_is_remembered_whole,
    the_last_ten_answers_stay,
    direct_messages_stay_among_themselves,
    memories_are_forgotten_by_place_and_persona,
    a_person_is_forgotten_everywhere,
    spending_adds_up_by_day_and_account,
    fifty_writers_lose_nothing,
    two_connections_see_each_others_writes,
    a_closed_store_says_so,
)


class StoreContract:
    """Contract tests of a store. Derive from it and add a fixture `store_factory`.

    Example:
        class TestMyStore(StoreContract):
            @pytest.fixture
            def store_factory(self, tmp_path: Path) -> StoreFactory:
                return lambda clock: MyStore.open(tmp_path / "mine", clock=clock)

    """

    @pytest.fixture
    def store_factory(self) -> StoreFactory:
        """Return a function that opens the same store with a clock each time; the store is empty at first."""
        raise NotImplementedError("give your class a fixture `store_factory`")

    @pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
    async def test(self, check: StoreCheck, store_factory: StoreFactory) -> None:
        """What the check's name says."""
        await check(store_factory)

"""What every store must keep, check by check; `contracts.StoreContract` makes tests of them.

Each check opens the store itself, at least once, and closes it. It needs an empty one to begin with.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

from ..errors import StoreError
from ..settings import Persona, Sprite
from ..store import MEMORY_CAP, TABLE_LIFE, Memory, Picture, Place, Store, StoredPersona

__all__ = ["STORE_CHECKS", "StoreCheck", "StoreOpener"]

StoreOpener: TypeAlias = Callable[[Callable[[], float]], Awaitable[Store]]
"""Opens the store under test with a clock: seconds since 1970, as `time.time` says them."""
StoreCheck: TypeAlias = Callable[[StoreOpener], Awaitable[None]]

_BASE = 1_300_000_000_000_000_000
"""Message ids are as large as Discord's."""
_GUILD, _OTHER_GUILD = _BASE + 1, _BASE + 2
_PLACE = Place(_GUILD, _BASE + 3)
_ELSEWHERE = Place(_GUILD, _BASE + 4)
_WRITERS = 50


class _Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def _opened(opener: StoreOpener, clock: _Clock | None = None) -> AsyncIterator[Store]:
    store = await opener(clock or _Clock())
    try:
        yield store
    finally:
        await store.close()


def _answer(number: int, persona: str = "Luna", place: Place = _PLACE, user: int = 7) -> Memory:
    return Memory(persona, place, f"answer {number}", (_BASE + number,), user=user)


async def _texts(store: Store, persona: str = "Luna", place: Place = _PLACE) -> list[str]:
    return [memory.text for memory in await store.recall(persona, place)]


# --- Personas -----------------------------------------------------------------------------------


async def a_new_store_is_empty(opener: StoreOpener) -> None:
    """Nothing is there, and asking is no error."""
    async with _opened(opener) as store:
        assert await store.personas(_GUILD) == ()
        assert await store.find_persona(_GUILD, "Luna") is None
        assert await store.find_picture(_GUILD, "Luna") is None
        assert await store.find_choice(_PLACE) is None
        assert await store.settings(_PLACE) == {}
        assert await store.labels([1, 2]) == {}
        assert await store.find_table(1) is None
        assert await store.recall("Luna", _PLACE) == ()
        assert not await store.remove_persona(_GUILD, "Luna")
        assert not await store.remove_sprite(_GUILD, "Luna", "mad")
        assert await store.forget(_PLACE) == await store.forget_person(7) == 0


async def a_persona_comes_back_as_it_was(opener: StoreOpener) -> None:
    """Every field of it, in a store that was closed and opened again."""
    looks = (
        Sprite("mad", "https://example.com/mad.png"),
        Sprite("Shy", "https://example.com/s.png", identity=True),
    )
    persona = Persona("Luna", ("Moony", "ルナ"), "https://example.com/luna.png", looks, alter=True)
    stored = StoredPersona(
        persona, _GUILD, "You are Luna.", "Hi!", {"spec": "x", "list": [1, None, {"a": "ß"}]}
    )
    async with _opened(opener) as store:
        await store.save_persona(stored)
    async with _opened(opener) as store:
        assert await store.personas(_GUILD) == (stored,)
        assert await store.find_persona(_GUILD, "  lUNA ") == stored


async def a_persona_is_saved_over_itself(opener: StoreOpener) -> None:
    """The same name in any case is the same persona, and its looks stay."""
    async with _opened(opener) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), _GUILD, "old"))
        await store.save_sprite(_GUILD, "Luna", Sprite("mad"), Picture("https://example.com/mad.png"))
        await store.save_persona(StoredPersona(Persona("LUNA"), _GUILD, "new"))
        (found,) = await store.personas(_GUILD)
        assert (found.name, found.prompt) == ("LUNA", "new")
        assert found.persona.sprites == (Sprite("mad", "https://example.com/mad.png"),)


async def personas_belong_to_their_server(opener: StoreOpener) -> None:
    """Others do not see them; those of server 0 are seen by all, behind their own ones."""
    async with _opened(opener) as store:
        for name, guild in (
            ("Zoe", _GUILD),
            ("Ann", 0),
            ("Luna", 0),
            ("Luna", _GUILD),
            ("Ren", _OTHER_GUILD),
        ):
            await store.save_persona(StoredPersona(Persona(name), guild))
        assert [(one.name, one.guild) for one in await store.personas(_GUILD)] == [
            ("Luna", _GUILD),
            ("Zoe", _GUILD),
            ("Ann", 0),
        ]
        assert await store.find_persona(_GUILD, "ren") is None
        shared = await store.find_persona(_OTHER_GUILD, "luna")
        assert shared is not None
        assert shared.guild == 0
        assert not await store.remove_persona(_GUILD, "Ann")


async def a_persona_takes_its_looks_and_memories_along(opener: StoreOpener) -> None:
    """Renamed, it keeps sprites, memories and the places where it speaks; removed, they go."""
    async with _opened(opener) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), _GUILD))
        await store.save_sprite(_GUILD, "Luna", Sprite("mad"), Picture("https://example.com/mad.png"))
        await store.choose_persona(_PLACE, "luna")
        await store.remember(_answer(10))
        await store.save_persona(StoredPersona(Persona("Selene"), _GUILD), was="Luna")
        (found,) = await store.personas(_GUILD)
        assert (found.name, len(found.persona.sprites)) == ("Selene", 1)
        assert await store.find_choice(_PLACE) == "Selene"
        assert await _texts(store, "selene") == ["answer 10"]
        assert await _texts(store) == []
        assert await store.remove_persona(_GUILD, "SELENE")
        assert await store.find_picture(_GUILD, "Selene", "mad") is None
        assert await store.find_choice(_PLACE) is None
        assert await _texts(store, "Selene") == []


async def a_persona_never_takes_the_name_of_another(opener: StoreOpener) -> None:
    """That is an error, and both stay as they were."""
    async with _opened(opener) as store:
        for name in ("Luna", "Ren"):
            await store.save_persona(StoredPersona(Persona(name), _GUILD, name))
        await _refuses(store.save_persona(StoredPersona(Persona("Ren"), _GUILD, "x"), was="Luna"))
        assert [one.prompt for one in await store.personas(_GUILD)] == ["Luna", "Ren"]


async def saving_a_persona_takes_no_picture_away(opener: StoreOpener) -> None:
    """Looks that it does not name stay, bytes too; another address is another picture."""
    async with _opened(opener) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), _GUILD))
        await store.save_sprite(
            _GUILD, "Luna", Sprite("mad"), Picture("https://example.com/mad.png", b"x", "k")
        )
        await store.save_sprite(_GUILD, "Luna", Sprite("shy"), Picture("", b"y", "k"))
        await store.save_avatar(_GUILD, "Luna", Picture("https://example.com/old.png", b"z", "k"))
        (found,) = await store.personas(_GUILD)
        await store.save_persona(found)
        assert await store.personas(_GUILD) == (found,)
        assert await store.find_picture(_GUILD, "Luna", "mad") == Picture(
            "https://example.com/mad.png", b"x", "k"
        )
        await store.save_persona(StoredPersona(Persona("Luna", avatar="https://example.com/new.png"), _GUILD))
        assert await store.find_picture(_GUILD, "Luna") == Picture("https://example.com/new.png")
        assert await store.find_picture(_GUILD, "Luna", "shy") == Picture("", b"y", "k")


async def pictures_are_kept_byte_for_byte(opener: StoreOpener) -> None:
    """With bytes, with an address, or both; a sprite without either cannot be used."""
    content = bytes(range(256)) * 64
    async with _opened(opener) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), _GUILD))
        await store.save_avatar(_GUILD, "luna", Picture("https://example.com/a.png"))
        await store.save_sprite(
            _GUILD, "Luna", Sprite("Mad", identity=True), Picture("", content, "image/png")
        )
        await store.save_sprite(_GUILD, "Luna", Sprite("gone"), Picture())
        (found,) = await store.personas(_GUILD)
        assert found.persona.avatar == "https://example.com/a.png"
        assert found.persona.sprites == (Sprite("gone", usable=False), Sprite("Mad", identity=True))
        assert await store.find_picture(_GUILD, "Luna") == Picture("https://example.com/a.png")
        assert await store.find_picture(_GUILD, "LUNA", "mad") == Picture("", content, "image/png")
        assert await store.remove_sprite(_GUILD, "Luna", "MAD")
        assert await store.find_picture(_GUILD, "Luna", "mad") is None


async def a_look_needs_its_persona(opener: StoreOpener) -> None:
    """A picture for nobody is an error that says so."""
    async with _opened(opener) as store:
        await _refuses(
            store.save_sprite(_GUILD, "Nobody", Sprite("mad"), Picture("https://example.com/x.png"))
        )
        await _refuses(store.save_avatar(_GUILD, "Nobody", Picture("https://example.com/x.png")))


async def a_channel_chooses_before_its_server(opener: StoreOpener) -> None:
    """A choice for a channel counts there only; without one the server's counts."""
    direct = Place(0, _BASE + 9)
    async with _opened(opener) as store:
        await store.choose_persona(_PLACE.server, "Luna")
        await store.choose_persona(_PLACE, "Ren")
        await store.choose_persona(direct, "Zoe")
        places = (_PLACE, _ELSEWHERE, direct, Place(0, _BASE + 8), Place(_OTHER_GUILD, _PLACE.channel))
        assert [await store.find_choice(place) for place in places] == ["Ren", "Luna", "Zoe", None, None]
        await store.choose_persona(_PLACE, None)
        assert await store.find_choice(_PLACE) == "Luna"


# --- Settings -----------------------------------------------------------------------------------


async def settings_keep_their_types(opener: StoreOpener) -> None:
    """Whatever JSON can say comes back equal and of its type, after a restart too."""
    values = {
        "degree": 3,
        "typing_cap": 2.5,
        "rules": False,
        "prefill": "Sure,\n\x00 \ud800",
        "list": [1, "two"],
    }
    async with _opened(opener) as store:
        await store.change_settings(_PLACE, values)
    async with _opened(opener) as store:
        found = await store.settings(_PLACE)
        assert found == values
        assert {name: type(value) for name, value in found.items()} == {
            name: type(value) for name, value in values.items()
        }


async def settings_change_one_by_one(opener: StoreOpener) -> None:
    """What is not named stays, `None` unsets, and each place has its own."""
    async with _opened(opener) as store:
        await store.change_settings(_PLACE, {"a": 1, "b": 2, "c": 3})
        await store.change_settings(_PLACE.server, {"a": 9})
        await store.change_settings(_PLACE, {"b": None, "c": 4, "unknown": None})
        await store.change_settings(_PLACE, {})
        assert await store.settings(_PLACE) == {"a": 1, "c": 4}
        assert await store.settings(_PLACE.server) == {"a": 9}
        assert await store.settings(_ELSEWHERE) == {}


# --- Messages -----------------------------------------------------------------------------------


async def labels_are_found_by_message(opener: StoreOpener) -> None:
    """Among any number of ids; a second label replaces the first."""
    async with _opened(opener) as store:
        await store.label_messages({_BASE + 1: "Luna (mad): ", _BASE + 2: "Luna (sad): "})
        await store.label_messages({_BASE + 2: "Luna (shy): "})
        await store.label_messages({})
        many = range(_BASE, _BASE + 1500)
        assert await store.labels(many) == {_BASE + 1: "Luna (mad): ", _BASE + 2: "Luna (shy): "}
        assert await store.labels([]) == {}


async def a_table_is_kept_for_two_hours(opener: StoreOpener) -> None:
    """Just before it is there, then it is not."""
    clock = _Clock()
    async with _opened(opener, clock) as store:
        await store.keep_table(_BASE, "| a |\n|---|\n| 😀 |")
        clock.now += TABLE_LIFE - 1
        assert await store.find_table(_BASE) == "| a |\n|---|\n| 😀 |"
        await store.keep_table(_BASE + 1, "younger")
        clock.now += 1
        assert await store.find_table(_BASE) is None
        assert await store.find_table(_BASE + 1) == "younger"


async def deleted_messages_never_happened(opener: StoreOpener) -> None:
    """Label, table, and the whole answer that one of them was a part of."""
    async with _opened(opener) as store:
        await store.label_messages({_BASE + 1: "Luna (mad): ", _BASE + 2: "Luna (mad): "})
        await store.keep_table(_BASE + 2, "| a |")
        await store.remember(Memory("Luna", _PLACE, "gone", (_BASE + 1, _BASE + 2)))
        await store.remember(_answer(3))
        await store.forget_messages([_BASE + 2, *range(_BASE + 10, _BASE + 1500)])
        assert await store.labels([_BASE + 1, _BASE + 2]) == {_BASE + 1: "Luna (mad): "}
        assert await store.find_table(_BASE + 2) is None
        assert await _texts(store) == ["answer 3"]


# --- Memory -------------------------------------------------------------------------------------


async def an_answer_is_remembered_whole(opener: StoreOpener) -> None:
    """Every field of it; what no database can hold becomes U+FFFD, and the text stays."""
    clock = _Clock()
    said = Memory("Luna", _PLACE, "Hm.\n\ud800\x00 – ok 😀", (_BASE + 2, _BASE + 1), ("likes tea", ""), 7)
    async with _opened(opener, clock) as store:
        await store.remember(said)
    async with _opened(opener) as store:
        text, messages = "Hm.\n\ufffd\ufffd – ok 😀", (_BASE + 1, _BASE + 2)
        assert await store.recall("luna", _PLACE) == (
            Memory("Luna", _PLACE, text, messages, ("likes tea", ""), 7, clock.now),
        )


async def the_last_ten_answers_stay(opener: StoreOpener) -> None:
    """Of each persona in each channel, the newest last; a server remembers the last ten of its channels."""
    async with _opened(opener) as store:
        for number in range(MEMORY_CAP + 2):
            await store.remember(_answer(number))
        await store.remember(_answer(50, place=_ELSEWHERE))
        await store.remember(_answer(60, "Ren"))
        kept = [f"answer {number}" for number in range(2, MEMORY_CAP + 2)]
        assert await _texts(store) == kept
        assert await _texts(store, place=_ELSEWHERE) == ["answer 50"]
        assert await _texts(store, "Ren") == ["answer 60"]
        assert await _texts(store, place=_PLACE.server) == [*kept[1:], "answer 50"]


async def direct_messages_stay_among_themselves(opener: StoreOpener) -> None:
    """No place sees what was said in a direct message but the message's own."""
    direct = Place(0, _BASE + 9)
    async with _opened(opener) as store:
        await store.remember(_answer(1, place=direct))
        for place in (Place(), Place(0, _BASE + 8), _PLACE, _PLACE.server):
            assert await _texts(store, place=place) == []
            assert await store.forget(place) == 0
        assert await _texts(store, place=direct) == await _texts(store, place=direct.server) == ["answer 1"]


async def memories_are_forgotten_by_place_and_persona(opener: StoreOpener) -> None:
    """In a channel, of one persona, in a whole server; it says how many went."""
    async with _opened(opener) as store:
        for number, persona, place in (
            (1, "Luna", _PLACE),
            (2, "Ren", _PLACE),
            (3, "Luna", _ELSEWHERE),
            (4, "Luna", Place(_OTHER_GUILD, 5)),
        ):
            await store.remember(_answer(number, persona, place))
        assert await store.forget(_PLACE, "LUNA") == 1
        assert await _texts(store, "Ren") == ["answer 2"]
        assert await store.forget(_PLACE.server) == 2
        assert await _texts(store, place=Place(_OTHER_GUILD)) == ["answer 4"]


async def a_person_is_forgotten_everywhere(opener: StoreOpener) -> None:
    """All answers to them and the tables in these, and nobody else's."""
    async with _opened(opener) as store:
        await store.remember(_answer(1, user=7))
        await store.remember(_answer(2, user=8))
        await store.remember(_answer(3, "Ren", Place(0, 5), user=7))
        for number in (1, 2):
            await store.keep_table(_BASE + number, "| a |")
        assert await store.forget_person(7) == 2
        assert await _texts(store) == ["answer 2"]
        assert await _texts(store, "Ren", Place(0, 5)) == []
        assert [await store.find_table(_BASE + number) for number in (1, 2)] == [None, "| a |"]


# --- Many at once, and the end ------------------------------------------------------------------


async def fifty_writers_lose_nothing(opener: StoreOpener) -> None:
    """Settings of one place, sprites of one persona and answers in many channels, all at the same time."""
    async with _opened(opener) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), _GUILD))

        async def write(number: int) -> None:
            await asyncio.gather(
                store.change_settings(_PLACE, {f"setting {number:02}": number}),
                store.save_sprite(_GUILD, "Luna", Sprite(f"look {number:02}"), Picture(content=b"x")),
                store.remember(_answer(number, place=Place(_GUILD, number + 1))),
                store.label_messages({_BASE + number: "x", _BASE + 1000 - number: "y"}),
                store.choose_persona(Place(_GUILD, number + 1), f"name {number}"),
            )

        await asyncio.gather(*map(write, range(_WRITERS)))
        assert await store.settings(_PLACE) == {f"setting {number:02}": number for number in range(_WRITERS)}
        (found,) = await store.personas(_GUILD)
        assert [sprite.name for sprite in found.persona.sprites] == [f"look {n:02}" for n in range(_WRITERS)]
        assert len(await store.labels(range(_BASE, _BASE + 1001))) == 2 * _WRITERS
        for number in range(_WRITERS):
            assert await _texts(store, place=Place(_GUILD, number + 1)) == [f"answer {number}"]
            assert await store.find_choice(Place(_GUILD, number + 1)) == f"name {number}"


async def two_openers_share_what_they_write(opener: StoreOpener) -> None:
    """What one has written the other reads at once."""
    async with _opened(opener) as one, _opened(opener) as other:
        await one.change_settings(_PLACE, {"degree": 1})
        assert await other.settings(_PLACE) == {"degree": 1}
        await asyncio.gather(
            *(
                store.change_settings(_PLACE, {f"{store is one} {n}": n})
                for n in range(20)
                for store in (one, other)
            )
        )
        assert len(await one.settings(_PLACE)) == len(await other.settings(_PLACE)) == 41


async def a_closed_store_says_so(opener: StoreOpener) -> None:
    """Closing finishes what was begun, may be done twice, and what comes later is an error."""
    store = await opener(_Clock())
    begun = asyncio.gather(*(store.change_settings(_PLACE, {str(n): n}) for n in range(20)))
    await asyncio.sleep(0)
    await store.close()
    await begun
    await store.close()
    await _refuses(store.settings(_PLACE))
    await _refuses(store.change_settings(_PLACE, {"a": 1}))
    async with _opened(opener) as again:
        assert len(await again.settings(_PLACE)) == 20


async def _refuses(act: Awaitable[object]) -> None:
    try:
        await act
    except StoreError as error:
        said = str(error)
    else:
        raise AssertionError("it should have been a StoreError")
    assert said.endswith("."), "an error is a sentence"


STORE_CHECKS: tuple[StoreCheck, ...] = (
    a_new_store_is_empty,
    a_persona_comes_back_as_it_was,
    a_persona_is_saved_over_itself,
    personas_belong_to_their_server,
    a_persona_takes_its_looks_and_memories_along,
    a_persona_never_takes_the_name_of_another,
    saving_a_persona_takes_no_picture_away,
    pictures_are_kept_byte_for_byte,
    a_look_needs_its_persona,
    a_channel_chooses_before_its_server,
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
    fifty_writers_lose_nothing,
    two_openers_share_what_they_write,
    a_closed_store_says_so,
)

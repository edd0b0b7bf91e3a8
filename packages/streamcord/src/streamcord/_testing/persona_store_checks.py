"""What every store must keep of personas, and the stage that all checks of a store share.

The checks use a clock that does not advance, ids as large as Discord's, and an open store.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeAlias

from .. import Persona, Sprite, StoreError
from ..store import MAX_CHANGES, Change, Memory, PersonaEntry, Picture, Place, Store, StoredPersona

StoreFactory: TypeAlias = Callable[[Callable[[], float]], Awaitable[Store]]
"""Opens the store under test with a clock: seconds since 1970, as `time.time` says them."""
StoreCheck: TypeAlias = Callable[[StoreFactory], Awaitable[None]]

BASE = 1_300_000_000_000_000_000
"""Message ids are as large as Discord's."""
GUILD, OTHER_GUILD = BASE + 1, BASE + 2
PLACE = Place(GUILD, BASE + 3)
ELSEWHERE = Place(GUILD, BASE + 4)


class ManualClock:
    """A clock that does not advance until it is set."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        """The time in seconds."""
        return self.now


@asynccontextmanager
async def opened_store(store_factory: StoreFactory, clock: ManualClock | None = None) -> AsyncIterator[Store]:
    """The store under test, closed at the end."""
    store = await store_factory(clock or ManualClock())
    try:
        yield store
    finally:
        await store.close()


def answer_number(number: int, persona: str = "Luna", place: Place = PLACE, user: int = 7) -> Memory:
    """An answer that tells its number."""
    return Memory(persona, place, f"answer {number}", (BASE + number,), user=user)


async def recalled_texts(store: Store, persona: str = "Luna", place: Place = PLACE) -> list[str]:
    """What a persona remembers there, as the store says it."""
    return [memory.text for memory in await store.recall(persona, place)]


async def assert_refused(act: Awaitable[object]) -> None:
    """Check that an action raises a `StoreError` whose message is a sentence."""
    try:
        await act
    except StoreError as error:
        said = str(error)
    else:
        raise AssertionError("it should have been a StoreError")
    assert said.endswith("."), "an error is a sentence"


async def a_new_store_is_empty(store_factory: StoreFactory) -> None:
    """Nothing is there, and asking is no error."""
    async with opened_store(store_factory) as store:
        assert await store.personas(GUILD) == ()
        assert await store.find_persona(GUILD, "Luna") is None
        assert await store.find_picture(GUILD, "Luna") is None
        assert await store.find_choice(PLACE) is None
        assert await store.settings(PLACE) == {}
        assert await store.labels([1, 2]) == {}
        assert await store.find_table(1) is None
        assert await store.recall("Luna", PLACE) == ()
        assert not await store.remove_persona(GUILD, "Luna")
        assert not await store.remove_sprite(GUILD, "Luna", "mad")
        assert await store.forget(PLACE) == await store.forget_person(7) == 0


async def a_persona_comes_back_as_it_was(store_factory: StoreFactory) -> None:
    """Every field of it, in a store that was closed and opened_store again."""
    looks = (
        Sprite("mad", "https://example.com/mad.png"),
        Sprite("Shy", "https://example.com/s.png", identity=True),
    )
    persona = Persona("Luna", ("Moony", "ルナ"), "https://example.com/luna.png", looks, alter=True)
    stored = StoredPersona(
        persona, GUILD, "You are Luna.", "Hi!", '{"spec": "x", "list": [1, {"a": "ß"}]}', adult=True
    )
    async with opened_store(store_factory) as store:
        await store.save_persona(stored)
    async with opened_store(store_factory) as store:
        assert await store.personas(GUILD) == (PersonaEntry(persona, GUILD),)
        assert await store.find_persona(GUILD, "  lUNA ") == stored
        await store.save_persona(StoredPersona(Persona("Ren"), GUILD, "A fox."))
        assert await store.find_persona(GUILD, "Ren") == StoredPersona(Persona("Ren"), GUILD, "A fox.")


async def a_persona_is_saved_over_itself(store_factory: StoreFactory) -> None:
    """The same name in any case is the same persona, and its sprites stay."""
    async with opened_store(store_factory) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), GUILD, "old"))
        mad = Sprite("mad", instruction="when teased")
        await store.save_sprite(GUILD, "Luna", mad, Picture("https://example.com/mad.png"))
        await store.save_persona(StoredPersona(Persona("LUNA"), GUILD, "new"))
        assert len(await store.personas(GUILD)) == 1
        found = await store.find_persona(GUILD, "Luna")
        assert found is not None
        assert (found.name, found.prompt) == ("LUNA", "new")
        assert found.persona.sprites == (replace(mad, avatar="https://example.com/mad.png"),)


async def personas_belong_to_their_server(store_factory: StoreFactory) -> None:
    """Others do not see them; those of server 0 are seen by all, after their own ones."""
    async with opened_store(store_factory) as store:
        for name, guild in (
            ("Zoe", GUILD),
            ("Ann", 0),
            ("Luna", 0),
            ("Luna", GUILD),
            ("Ren", OTHER_GUILD),
        ):
            await store.save_persona(StoredPersona(Persona(name), guild))
        assert [(one.name, one.guild) for one in await store.personas(GUILD)] == [
            ("Luna", GUILD),
            ("Zoe", GUILD),
            ("Ann", 0),
        ]
        assert await store.find_persona(GUILD, "ren") is None
        shared = await store.find_persona(OTHER_GUILD, "luna")
        assert shared is not None
        assert shared.guild == 0
        assert not await store.remove_persona(GUILD, "Ann")


async def removing_a_persona_removes_sprites_and_memories(store_factory: StoreFactory) -> None:
    """Renamed, it keeps sprites, memories and the places where it speaks; removed, they go."""
    async with opened_store(store_factory) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), GUILD))
        await store.save_sprite(GUILD, "Luna", Sprite("mad"), Picture("https://example.com/mad.png"))
        await store.choose_persona(PLACE, "luna")
        await store.remember(answer_number(10))
        await store.save_persona(StoredPersona(Persona("Selene"), GUILD), was="Luna")
        (found,) = await store.personas(GUILD)
        assert (found.name, len(found.persona.sprites)) == ("Selene", 1)
        assert await store.find_choice(PLACE) == "Selene"
        assert await recalled_texts(store, "selene") == ["answer 10"]
        assert await recalled_texts(store) == []
        assert await store.remove_persona(GUILD, "SELENE")
        assert await store.find_picture(GUILD, "Selene", "mad") is None
        assert await store.find_choice(PLACE) is None
        assert await recalled_texts(store, "Selene") == []


async def a_persona_never_takes_the_name_of_another(store_factory: StoreFactory) -> None:
    """That is an error, and both stay as they were."""
    async with opened_store(store_factory) as store:
        for name in ("Luna", "Ren"):
            await store.save_persona(StoredPersona(Persona(name), GUILD, name))
        await assert_refused(store.save_persona(StoredPersona(Persona("Ren"), GUILD, "x"), was="Luna"))
        found = [await store.find_persona(GUILD, name) for name in ("Luna", "Ren")]
        assert [one.prompt for one in found if one] == ["Luna", "Ren"]


async def saving_a_persona_takes_no_picture_away(store_factory: StoreFactory) -> None:
    """Sprites that it does not name stay, bytes too; another address is another picture."""
    async with opened_store(store_factory) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), GUILD))
        await store.save_sprite(
            GUILD, "Luna", Sprite("mad"), Picture("https://example.com/mad.png", b"x", "k")
        )
        await store.save_sprite(GUILD, "Luna", Sprite("shy"), Picture("", b"y", "k"))
        await store.save_avatar(GUILD, "Luna", Picture("https://example.com/old.png", b"z", "k"))
        found = await store.find_persona(GUILD, "Luna")
        assert found is not None
        await store.save_persona(found)
        assert await store.find_persona(GUILD, "Luna") == found
        assert await store.find_picture(GUILD, "Luna", "mad") == Picture(
            "https://example.com/mad.png", b"x", "k"
        )
        await store.save_persona(StoredPersona(Persona("Luna", avatar="https://example.com/new.png"), GUILD))
        assert await store.find_picture(GUILD, "Luna") == Picture("https://example.com/new.png")
        assert await store.find_picture(GUILD, "Luna", "shy") == Picture("", b"y", "k")


async def pictures_are_kept_byte_for_byte(store_factory: StoreFactory) -> None:
    """With bytes, with an address, or both; a sprite without either cannot be used."""
    content = bytes(range(256)) * 64
    async with opened_store(store_factory) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), GUILD))
        await store.save_avatar(GUILD, "luna", Picture("https://example.com/a.png"))
        await store.save_sprite(
            GUILD, "Luna", Sprite("Mad", identity=True), Picture("", content, "image/png")
        )
        await store.save_sprite(GUILD, "Luna", Sprite("gone"), Picture())
        (found,) = await store.personas(GUILD)
        assert found.persona.avatar == "https://example.com/a.png"
        assert found.persona.sprites == (Sprite("gone", usable=False), Sprite("Mad", identity=True))
        assert await store.find_picture(GUILD, "Luna") == Picture("https://example.com/a.png")
        assert await store.find_picture(GUILD, "LUNA", "mad") == Picture("", content, "image/png")
        assert await store.remove_sprite(GUILD, "Luna", "MAD")
        assert await store.find_picture(GUILD, "Luna", "mad") is None


async def what_personas_take_is_counted(store_factory: StoreFactory) -> None:
    """Pictures, texts and cards of this server; addresses of pictures are those of all servers."""
    async with opened_store(store_factory) as store:
        assert (await store.persona_bytes(GUILD), await store.picture_urls()) == (0, {})
        for guild in (GUILD, OTHER_GUILD, 0):
            await store.save_persona(
                StoredPersona(Persona("Luna"), guild, "p" * 10, "g" * 20, f'"{"c" * 28}"')
            )
            await store.save_avatar(guild, "Luna", Picture(f"https://example.com/{guild}.png", b"x" * 1000))
            await store.save_sprite(guild, "Luna", Sprite("mad"), Picture("", b"y" * 100))
        assert await store.persona_bytes(GUILD) == 1160
        addresses = {f"https://example.com/{one}.png": frozenset({one}) for one in (GUILD, OTHER_GUILD, 0)}
        assert await store.picture_urls() == addresses
        await store.remove_persona(GUILD, "Luna")
        assert await store.persona_bytes(GUILD) == 0
        del addresses[f"https://example.com/{GUILD}.png"]
        assert await store.picture_urls() == addresses
        await store.save_sprite(OTHER_GUILD, "Luna", Sprite("sad"), Picture("https://example.com/0.png"))
        assert (await store.picture_urls())["https://example.com/0.png"] == {0, OTHER_GUILD}
        await store.remove_picture_url("https://example.com/0.png")
        assert set(await store.picture_urls()) == {f"https://example.com/{OTHER_GUILD}.png"}
        assert await store.find_picture(0, "Luna") == Picture("", b"x" * 1000)


async def a_sprite_needs_its_persona(store_factory: StoreFactory) -> None:
    """A picture for an unknown persona is an error that says so."""
    async with opened_store(store_factory) as store:
        await assert_refused(
            store.save_sprite(GUILD, "Nobody", Sprite("mad"), Picture("https://example.com/x.png"))
        )
        await assert_refused(store.save_avatar(GUILD, "Nobody", Picture("https://example.com/x.png")))


async def a_channel_chooses_before_its_server(store_factory: StoreFactory) -> None:
    """A choice for a channel counts there only; without one the server's counts."""
    direct = Place(0, BASE + 9)
    async with opened_store(store_factory) as store:
        await store.choose_persona(PLACE.server, "Luna")
        await store.choose_persona(PLACE, "Ren")
        await store.choose_persona(direct, "Zoe")
        places = (PLACE, ELSEWHERE, direct, Place(0, BASE + 8), Place(OTHER_GUILD, PLACE.channel))
        assert [await store.find_choice(place) for place in places] == ["Ren", "Luna", "Zoe", None, None]
        await store.choose_persona(PLACE, None)
        assert await store.find_choice(PLACE) == "Luna"


async def a_person_sees_and_forgets_what_is_kept_of_them(store_factory: StoreFactory) -> None:
    """Answers to them in all places, and no one else's; a refusal stays until it is taken back."""
    mine, other = BASE + 7, BASE + 8
    answers = [Memory("Luna", PLACE, "One", (BASE + 1, BASE + 2), ("note",), mine)]
    answers += [Memory("Luna", Place(0, BASE + 5), "Two", (BASE + 3,), (), mine)]
    async with opened_store(store_factory) as store:
        for one in (*answers, Memory("Luna", PLACE, "Three", (BASE + 4,), (), other)):
            await store.remember(one)
        found = await store.memories_of(mine)
        assert [(one.text, one.messages, one.details) for one in found] == [
            ("One", (BASE + 1, BASE + 2), ("note",)),
            ("Two", (BASE + 3,), ()),
        ]
        await store.forget_person(mine)
        assert await store.memories_of(mine) == ()
        assert len(await store.memories_of(other)) == 1
        await store.refuse_memory(mine)
        await store.refuse_memory(mine)
    async with opened_store(store_factory) as store:
        assert [await store.refuses_memory(one) for one in (mine, other)] == [True, False]
        await store.refuse_memory(mine, refused=False)
        assert not await store.refuses_memory(mine)


async def an_answer_keeps_its_variants(store_factory: StoreFactory) -> None:
    """All texts of an answer come back with any of its messages, and go with the answer."""
    async with opened_store(store_factory) as store:
        await store.remember(replace(answer_number(1), messages=(BASE + 1, BASE + 2)))
        plain = await store.find_answer(BASE + 2)
        assert plain is not None
        assert (plain.text, plain.variants) == ("answer 1", ())
        # Another text takes its place, with one message less.
        texts = ("answer 1", "answer 2")
        await store.remember(replace(answer_number(1), text="answer 2", variants=texts))
        assert await store.find_answer(BASE + 2) is None
        await store.forget_messages([BASE + 2])
        shown = await store.find_answer(BASE + 1)
        assert shown is not None
        assert (shown.text, shown.messages, shown.variants) == ("answer 2", (BASE + 1,), texts)
        assert [one.variants for one in await store.memories_of(7)] == [texts]
        await store.forget_messages([BASE + 1])
        assert await store.find_answer(BASE + 1) is None
        await store.remember(answer_number(1))
        kept = await store.find_answer(BASE + 1)
        assert kept is not None
        assert kept.variants == ()


async def a_place_that_is_gone_leaves_nothing(store_factory: StoreFactory) -> None:
    """A channel takes its own along, a server everything; other servers and direct messages stay."""
    direct = Place(0, BASE + 9)
    places = (PLACE, ELSEWHERE, Place(OTHER_GUILD, PLACE.channel), direct)
    async with opened_store(store_factory) as store:
        await store.save_persona(StoredPersona(Persona("Luna"), GUILD))
        for number, place in enumerate(places):
            await store.remember(Memory("Luna", place, "hi", (BASE + 20 + number,)))
            await store.change_settings(place, {"degree": 1})
            await store.choose_persona(place, "Luna")
            await store.record_change(Change(place, 7, "settings set"))
        await store.save_table(BASE + 20, "| a |")
        await store.forget_place(PLACE)
        assert [len(await store.recall("Luna", place)) for place in places] == [0, 1, 1, 1]
        assert [await store.settings(place) for place in places[:2]] == [{}, {"degree": 1}]
        assert await store.find_table(BASE + 20) is None
        assert len(await store.personas(GUILD)) == 1
        await store.forget_place(PLACE.server)
        assert [len(await store.recall("Luna", place)) for place in places] == [0, 0, 1, 1]
        assert [await store.find_choice(place) for place in places] == [None, None, "Luna", "Luna"]
        assert (await store.personas(GUILD), await store.changes(GUILD)) == ((), ())
        assert len(await store.changes(OTHER_GUILD)) == 1
        await store.forget_place(Place(0, 0))
        assert len(await store.recall("Luna", direct)) == 1


async def what_is_too_old_goes_and_changes_are_bounded(store_factory: StoreFactory) -> None:
    """Answers and changes have an age, and a server keeps only its newest changes."""
    clock = ManualClock()
    async with opened_store(store_factory, clock) as store:
        await store.remember(Memory("Luna", PLACE, "old", (BASE + 1,)))
        await store.record_change(Change(PLACE, 7, "old"))
        clock.now += 100
        await store.remember(Memory("Luna", PLACE, "new", (BASE + 2,)))
        for number in range(MAX_CHANGES + 5):
            clock.now += 1
            await store.record_change(Change(PLACE, 7 + number % 2, "set", str(number)))
        assert await store.forget_before(clock.now - MAX_CHANGES - 50) == 1
        assert await recalled_texts(store) == ["new"]
        kept = await store.changes(GUILD, MAX_CHANGES * 2)
        assert [one.detail for one in kept] == [str(number) for number in range(MAX_CHANGES + 4, 4, -1)]
        assert (kept[0].place, kept[0].user, kept[0].action) == (PLACE, 7, "set")
        assert len(await store.changes(GUILD, 3)) == 3
        assert {one.user for one in await store.changes_by(8)} == {8}


PERSONA_CHECKS: tuple[StoreCheck, ...] = (
    a_new_store_is_empty,
    a_persona_comes_back_as_it_was,
    a_persona_is_saved_over_itself,
    personas_belong_to_their_server,
    removing_a_persona_removes_sprites_and_memories,
    a_persona_never_takes_the_name_of_another,
    saving_a_persona_takes_no_picture_away,
    pictures_are_kept_byte_for_byte,
    what_personas_take_is_counted,
    a_sprite_needs_its_persona,
    a_channel_chooses_before_its_server,
    a_person_sees_and_forgets_what_is_kept_of_them,
    an_answer_keeps_its_variants,
    a_place_that_is_gone_leaves_nothing,
    what_is_too_old_goes_and_changes_are_bounded,
)

"""A person is led through everything that the page can do, at a desk and on a phone, in a real Chromium."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from chromium import labelled, needs_chromium
from discord_twin.cdn import plain_png
from twin.web_ui.person_at_page import PersonAtPage, at_page

pytestmark = [needs_chromium, pytest.mark.timeout(120)]


@pytest.mark.parametrize("width", ["desktop", "phone"])
async def test_a_person_does_on_the_page_what_they_do_on_discord(width: str, tmp_path: Path) -> None:
    async with at_page(width) as person:
        await mention_and_reply(person)
        await use_commands(person)
        await press_and_choose(person)
        await fill_in_a_form(person)
        await see_a_card(person)
        await use_menus(person)
        await send_files(person, tmp_path)
        await react_edit_and_delete(person)
        await use_threads_and_forums(person)
        await be_several_people(person)
        await write_directly(person)
        await person.fits()
        person.has_no_faults()


async def mention_and_reply(person: PersonAtPage) -> None:
    tab = person.tab
    await tab.type("@str")
    await person.sees("streamcord", "#suggestions")
    await tab.press("Enter")
    await tab.type("hello")
    await tab.press("Enter")
    await person.sees("you said hello")
    said = await person.until("hello")
    assert said.content == f"<@{person.twin.bot.id}> hello"
    assert await tab.run(f"{person.row('hello')}.querySelector('.mention, .reply') !== null")

    # Who types a name in full has mentioned it, too; a role is offered as people are.
    await person.write("@bob and @helpers look, but `@bob` is code")
    said = await person.until("is code")
    bob = next(one for one in person.twin.state.users.values() if one.name == "bob")
    assert said.content.startswith(f"<@{bob.id}> and <@&")
    assert said.content.endswith("look, but `@bob` is code")

    await person.use_bar("you said hello", "Reply")
    await person.sees("Replying to", "#above")
    await person.write("thanks")
    reply = await person.until("thanks")
    assert reply.draft.reply_to is not None
    assert reply.draft.reply_to.author is person.twin.bot.user
    assert await tab.run("document.querySelector('#above').innerText") == ""


async def use_commands(person: PersonAtPage) -> None:
    tab = person.tab
    await person.use_command("eat")
    await tab.type("ap")
    await person.sees("apricot", "#suggestions")
    await tab.press("ArrowDown", "Enter")
    await person.choose("Add count", ".command")
    await tab.type("3")
    await tab.press("Enter")
    await person.sees("ate 3 apricot")
    assert "alice used /eat" in " ".join((await tab.run(f"{person.row('ate 3')}.innerText")).split())

    # What must be filled in is asked for, and nothing is sent without it.
    await person.use_command("eat")
    await tab.press("Enter")
    assert await tab.run("document.querySelector('.command') !== null")
    await tab.press("Escape", "Escape")
    await tab.until("document.querySelector('.command') === null")

    await person.use_command("note add")
    await tab.run(
        "document.getElementById('option-who').value = [...document.getElementById('option-who').options]"
        ".find(one => one.text === 'bob').value"
    )
    await tab.run("document.getElementById('option-text').focus()")
    await tab.type("kind")
    await tab.press("Enter")
    await person.sees("noted for @bob: kind")
    await person.sees("Only you can see this")
    await person.choose("Dismiss message", "#rows")
    await person.misses("noted for @bob")

    person.twin.configure(interaction_deadline_s=0.2)
    await person.use_command("sleep")
    await tab.press("Enter")
    await person.sees("The application did not respond", "#state")
    person.twin.configure(interaction_deadline_s=10.0)


async def press_and_choose(person: PersonAtPage) -> None:
    await person.use_command("panel")
    await person.tab.press("Enter")
    await person.sees("press me")
    await person.choose("Count", "#rows")
    await person.sees("counted 1")
    await person.choose("Count", "#rows")
    await person.sees("counted 2")
    assert await person.tab.run(f"{labelled('Closed', '#rows')}.disabled")

    await person.choose("Pick a fruit", "#rows")
    await person.choose("Banana", ".picker")
    await person.sees("picked banana")
    await person.choose("Pick people", "#rows")
    await person.choose("alice", ".picker")
    await person.choose("bob", ".picker")
    await person.choose("Done", ".picker")
    await person.sees("people: alice, bob")


async def fill_in_a_form(person: PersonAtPage) -> None:
    tab = person.tab
    await person.choose("Order", "#rows")
    await person.sees("Order something", "dialog")
    assert await tab.run("document.activeElement.name") == await tab.run(
        "document.querySelector('dialog input').name"
    )
    await tab.type("cake")
    await tab.press("Tab")
    await tab.type("hungry")
    await tab.press("Tab")
    await tab.run("document.querySelector('dialog select').value = 'large'")
    await person.choose("Submit", "dialog")
    await person.closed()
    await person.sees("ordered cake (large): hungry")

    await person.use_command("order")
    await tab.press("Enter")
    await person.sees("Order something", "dialog")
    await tab.press("Escape")
    await person.closed()


async def see_a_card(person: PersonAtPage) -> None:
    await person.use_command("show")
    await person.tab.press("Enter")
    await person.sees("A card")
    await person.sees("Somebody with a avatar")
    card = "document.querySelector('.container')"
    assert await person.tab.run(f"getComputedStyle({card}).borderLeftColor") == "rgb(88, 101, 242)"
    await person.tab.until(
        f"[...{card}.querySelectorAll('img')].every(one => one.complete && one.naturalWidth > 0)"
    )
    alts = await person.tab.run(f"[...{card}.querySelectorAll('img')].map(one => one.alt)")
    assert alts == ["a avatar", "a view"]
    # A gallery of one picture shows it whole.
    shown = "[one.clientWidth, one.clientHeight]"
    assert await person.tab.run(f"(one => {shown})({card}.querySelector('.gallery img'))") == [96, 96]

    # Where the texts of a message are components, the mark of an edit comes after them.
    rooms = person.twin.state.channels.values()
    found = ((room, one) for room in rooms for one in room.messages.values())
    room, message = next(pair for pair in found if "A card" in json.dumps(pair[1].draft.components))
    parts = json.loads(json.dumps(message.draft.components).replace("A card", "An edited card"))
    person.twin.state.edit(room, message, replace(message.draft, components=parts))
    await person.sees("An edited card")
    assert await person.tab.run(f"{card}.parentElement.querySelector('.container ~ .edited') !== null")


async def use_menus(person: PersonAtPage) -> None:
    await person.use_menu("ate 3 apricot", "Repeat this")
    await person.sees("again: ate 3 apricot")
    await person.press_on(f"({person.row('ate 3 apricot')}.querySelector('.name'))")
    await person.choose("Who is it?", "[role=menu]")
    await person.sees("that is streamcord")


async def send_files(person: PersonAtPage, folder: Path) -> None:
    tab = person.tab
    (folder / "notes.txt").write_text("five!")
    (folder / "view.png").write_bytes(plain_png(5, 64))
    await tab.choose_files("#files", folder / "notes.txt", folder / "view.png")
    await person.sees("notes.txt", "#above")
    await person.write("two files, @streamcord")
    await person.sees("you said two files, with notes.txt, view.png")
    said = await person.until("two files,")
    assert [one.content for one in said.attachments] == [b"five!", plain_png(5, 64)]
    row = person.row("two files, @streamcord")
    assert await tab.run(f"{row}.querySelector('.file a').download") == "notes.txt"
    await tab.until(f"{row}.querySelector('img.picture').naturalWidth === 64")


async def react_edit_and_delete(person: PersonAtPage) -> None:
    tab = person.tab
    await person.write("a typo hre")
    await person.sees("a typo hre")
    await person.use_bar("a typo hre", "Add a reaction")
    await person.choose("tada", ".grid")
    await tab.until(f"{person.row('a typo hre')}.querySelector('.chip')?.ariaPressed === 'true'")
    said = await person.until("a typo hre")
    assert said.reactions == {"🎉": [person.twin.user.id]}
    await person.press_on(f"({person.row('a typo hre')}.querySelector('.chip'))")
    await tab.until(f"{person.row('a typo hre')}.querySelector('.chip') === null")

    await tab.run("document.getElementById('text').focus()")
    await tab.press("ArrowUp")
    assert await tab.run("document.getElementById('text').value") == "a typo hre"
    await tab.run("document.getElementById('text').select()")
    await tab.type("no typo here")
    await tab.press("Enter")
    await person.sees("no typo here(edited)")

    await person.use_menu("no typo here", "Delete")
    await person.sees("Delete message", "dialog")
    await person.choose("Delete", "dialog")
    await person.closed()
    await person.misses("no typo here")
    assert said.id not in person.twin.channel.messages


async def use_threads_and_forums(person: PersonAtPage) -> None:
    tab = person.tab
    await person.write("worth a thread")
    await person.sees("worth a thread")
    await person.use_menu("worth a thread", "Create a thread")
    await person.sees("Create a thread", "dialog")
    await tab.press("Enter")
    await person.closed()
    await tab.until("document.querySelector('.where')?.innerText === 'worth a thread'")
    await person.write("inside, @streamcord")
    await person.sees("you said inside,")
    await person.go("general")
    await person.choose("worth a thread", "#rows")
    await person.sees("inside,")

    await person.go("ideas")
    await person.choose("New post", "#rows")
    await tab.type("A good idea")
    await tab.press("Tab")
    await tab.type("It is this")
    await person.choose("Post", "dialog")
    await person.closed()
    await tab.until("document.querySelector('.where')?.innerText === 'A good idea'")
    await person.sees("It is this")
    await person.go("ideas")
    await person.sees("A good idea")
    await person.go("general")


async def be_several_people(person: PersonAtPage) -> None:
    tab, twin = person.tab, person.twin
    bob = next(one for one in twin.state.users.values() if one.name == "bob")
    other = next(one for one in twin.state.channels.values() if one.name == "other")
    await person.misses("people: alice, bob everywhere")
    twin.users.type(twin.channel, bob)
    await person.sees("bob is typing", "#typing")
    twin.say(other, bob, f"psst <@{twin.user.id}>")
    await tab.until("document.querySelector('#channels .unread .count')?.textContent === '1'")
    await person.sees("bob · other", "#phone")
    assert await tab.run("document.title.startsWith('(1) ')")
    await person.go("other")
    await person.sees("psst @alice")
    assert await tab.run(f"{person.row('psst')}.classList.contains('to-me')")
    assert await tab.run(f"{person.row('psst')}.querySelector('.bell') !== null")
    await tab.until("document.querySelector('#channels .unread') === null")
    await twin.until(lambda: twin.log.unread[twin.user.id, other.id] == 0)

    await person.become("bob")
    await person.go("general")
    await person.sees("ate 3 apricot")
    await person.misses("that is streamcord")
    await person.write("it is me, bob")
    assert (await person.until("it is me, bob")).author is bob
    await person.become("carol", new=True)
    await person.sees("it is me, bob")
    await person.write("and carol")
    assert (await person.until("and carol")).author.name == "carol"
    assert not await tab.run(f"{person.row('it is me, bob')}.querySelector('.actions [aria-label=Edit]')")
    await person.become("alice")
    await person.sees("and carol")


async def write_directly(person: PersonAtPage) -> None:
    await person.open_drawer()
    await person.choose("Message streamcord", "#channels")
    await person.tab.until("document.querySelector('.where')?.innerText === 'streamcord'")
    await person.write("just us")
    await person.sees("you said just us")
    assert (await person.until("just us")).channel_id == person.twin.dm().id

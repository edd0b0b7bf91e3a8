"""What the page promises the one who uses it, and whatever is said on it, seen in a real Chromium."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from chromium import Tab, needs_chromium
from discord_twin import Twin
from discord_twin.cdn import plain_png
from discord_twin.state.models import Draft
from npm_package import install, needs_node
from twin.web_ui.person_at_page import WIDTHS, PersonAtPage, at_page

pytestmark = [needs_chromium, pytest.mark.timeout(120)]

ATTACK = "window.hacked=1"
HOSTILE = (
    f"<script>{ATTACK}</script>",
    f'"><img src=x onerror="{ATTACK}">',
    f"<svg/onload={ATTACK}><svg><style><img src=x onerror={ATTACK}>",
    f"<iframe srcdoc='<script>{ATTACK}</script>'></iframe>",
    f"[click](javascript:{ATTACK}) <javascript:{ATTACK}> [x](https://example.com/\"onmouseover={ATTACK})",
    f"[x](data:text/html,<script>{ATTACK}</script>) ![i](https://example.com/i.png)",
    f"```html\n<script>{ATTACK}</script>\n```",
    f"`<b onclick={ATTACK}>` ||<i>{ATTACK}</i>||",
    "\u202egnp.exe \u2066left\u2069 \u200fright",
    "{{constructor.constructor('window.hacked=1')()}} ${window.hacked=1} &lt;b&gt; &#60;b&#62;",
    "</textarea></article></body><plaintext>",
    "a" * 2000,
    "👩‍👩‍👧‍👦" * 200,
    "Z" + "\u0335\u0489" * 600,
    "\n" * 300 + "end",
)  # fmt: skip


async def post_everywhere(twin: Twin, text: str) -> None:
    """A hostile text wherever someone else may put one."""
    name = text[:80].replace("\n", " ") or "x"
    webhook = twin.state.add_webhook(twin.channel, "hook", twin.bot.user)
    embed = {
        "title": text[:256], "description": text, "url": f"javascript:{ATTACK}", "color": 255,
        "author": {"name": name}, "footer": {"text": name}, "image": {"url": "https://example.com/x.png"},
        "fields": [{"name": name, "value": text[:1000], "inline": True}],
    }  # fmt: skip
    option = {"label": name, "value": "v", "description": name}
    rows = (
        {"type": 1, "components": [
            {"type": 2, "style": 1, "label": name, "custom_id": "a"},
            {"type": 2, "style": 5, "label": name, "url": f"javascript:{ATTACK}"},
        ]},
        {"type": 1, "components": [{"type": 3, "custom_id": "m", "placeholder": name, "options": [option]}]},
        {"type": 17, "components": [{"type": 10, "content": text}, {"type": 12, "items": [
            {"media": {"url": "https://example.com/y.png"}, "description": name}]}]},
    )  # fmt: skip
    draft = Draft(
        content=text, username=name, avatar_url="https://example.com/a.png", embeds=(embed,), components=rows
    )
    twin.state.post(twin.channel, twin.bot.user, draft, webhook=webhook)
    twin.say(twin.channel, twin.user, text, files={f"{name[:40]}.svg": b"<svg onload=alert(1)>"})


async def test_no_text_becomes_markup_or_script_or_breaks_the_page() -> None:
    async with at_page(bot=False) as person:
        for text in HOSTILE:
            await post_everywhere(person.twin, text)
        for text in HOSTILE[:6]:
            person.twin.add_user(text[:32])
            person.twin.add_channel(text[:90])
        for one in (person, await person.at("phone")):
            await has_withstood(one)


async def has_withstood(person: PersonAtPage) -> None:
    twin, tab = person.twin, person.tab
    await tab.until(f"document.querySelectorAll('#rows article').length >= {2 * len(HOSTILE)}")
    await person.fits()

    assert await tab.run("window.hacked") is None
    assert await tab.run("document.querySelectorAll('script, iframe, object, embed, plaintext').length") == 1
    sources = "[...document.querySelectorAll('#rows [src]')].map(one => one.getAttribute('src'))"
    assert [one for one in await tab.run(sources) if not one.startswith("/cdn/")] == []
    links = await tab.run("[...document.querySelectorAll('#rows a')].map(one => [one.href, one.rel])")
    assert [one for one, _ in links if not one.startswith(("https://example.com/", twin.base_url))] == []
    assert all("noopener" in rel for one, rel in links if one.startswith("https://"))
    named = "[...document.querySelectorAll('*')].flatMap(one => one.getAttributeNames())"
    assert await tab.run(f"{named}.filter(name => name.startsWith('on'))") == []
    person.has_no_faults()
    # The browser itself would refuse it, too.
    try_it = "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'done' } catch { return 'no' } })()"
    assert await tab.run(try_it) == "no"


@needs_node
async def test_axe_finds_nothing_serious(pytestconfig: pytest.Config) -> None:
    script = (install(Path(__file__).with_name("js"), pytestconfig) / "axe.min.js").read_text()
    async with at_page() as person:
        await fill(person)
        for one in (person, await person.at("phone")):
            await one.sees("press me")
            await one.tab.run(f"{script}; 0")
            events = [f"{name}: {found}" for name, all_ in (await look_around(one)).items() for found in all_]
            assert not events, "\n".join(events)


async def look_around(person: PersonAtPage) -> dict[str, list[str]]:
    """What axe finds on the page, in a dialog, at a command, at suggestions and in the list of channels."""
    tab = person.tab
    seen = {"page": await complaints(tab)}
    await person.use_menu("something to look at", "Delete")
    await person.sees("Delete message", "dialog")
    seen["dialog"] = await complaints(tab)
    await tab.press("Escape")
    await person.closed()
    await person.use_command("eat")
    seen["command"] = await complaints(tab)
    await tab.press("Escape", "Escape")
    await tab.type("@")
    await person.sees("streamcord", "#suggestions")
    seen["suggestions"] = await complaints(tab)
    await person.open_drawer()
    seen["channels"] = await complaints(tab)
    return seen


async def fill(person: PersonAtPage) -> None:
    """One of everything."""
    twin = person.twin
    said = twin.say(twin.channel, twin.user, "something to look at", files={"a.png": plain_png(1, 64)})
    twin.users.react(said, "🎉", twin.user)
    bob = next(one for one in twin.state.users.values() if one.name == "bob")
    everything = (
        "# Head\n- item\n> quote\n||hidden|| `code` [link](https://example.com)\n```py\nx = 1\n```\n-# small"
    )
    twin.say(twin.channel, bob, f"<@{twin.user.id}> {everything}", reply_to=said)
    twin.users.start_thread(twin.channel, bob, "a thread", message=said, text="in it")
    twin.fake_user().ask("which?", ["this", "that"])
    for name in ("panel", "show"):
        await person.use_command(name)
        await person.tab.press("Enter")
    await person.sees("A card")
    await person.sees("press me")


async def complaints(tab: Tab) -> list[str]:
    """What axe finds that is serious or worse: the rule, and where."""
    found = await tab.run(
        "axe.run(document, {resultTypes: ['violations']}).then(all => all.violations"
        ".filter(one => ['serious', 'critical'].includes(one.impact)).flatMap(one => one.nodes"
        ".map(node => [one.id, node.html.slice(0, 120), node.failureSummary.slice(0, 200)].join(' | '))))"
    )
    assert isinstance(found, list)
    return found


async def test_a_keyboard_is_enough_and_the_focus_is_always_seen() -> None:
    async with at_page() as person:
        tab, twin = person.tab, person.twin
        twin.say(twin.channel, twin.user, "first")
        twin.say(twin.channel, twin.user, "second")
        await person.sees("second")
        stops = await walk(tab)
        for wanted in (
            "skip",
            "general",
            "Message streamcord",
            "alice",
            "Messages in #general",
            "Add files",
        ):
            assert any(wanted in one for one in stops), (wanted, stops)

        await tab.run("document.getElementById('messages').focus()")
        await tab.press("ArrowUp", "ArrowUp")
        assert "first" in await tab.run("document.activeElement.innerText")
        await tab.press("r")
        await person.sees("Replying to", "#above")
        await tab.type("an answer")
        await tab.press("Enter")
        await person.sees("an answer")
        reply = await person.until("an answer")
        assert reply.draft.reply_to is not None
        assert reply.draft.reply_to.content == "first"

        await tab.run("document.getElementById('messages').focus()")
        await tab.press("ArrowUp", "Enter")
        await tab.until("document.activeElement.role === 'menuitem'")
        await tab.press("ArrowDown", "ArrowDown", "Escape")
        await tab.until("document.activeElement.tagName === 'ARTICLE'")
        await tab.press("Delete")
        await person.sees("Delete message", "dialog")
        await tab.press("Enter")
        await person.closed()
        await person.misses("an answer")
        assert await tab.run("document.querySelector('#messages').role") == "log"
        twin.say(twin.channel, next(one for one in twin.state.users.values() if one.name == "bob"), "listen")
        await tab.until("document.getElementById('said').textContent === 'bob: listen'")
        person.has_no_faults()


async def walk(tab: Tab) -> list[str]:
    """Everything that Tab stops at, until it comes round; each shows that it has the focus."""
    await tab.run("document.activeElement.blur()")
    stops: list[str] = []
    look = (
        "(() => { const one = document.activeElement, box = one.id === 'text' ? one.parentElement : one;"
        "return [one.ariaLabel ?? one.className + one.innerText, getComputedStyle(box).outlineStyle] })()"
    )
    for _ in range(40):
        await tab.press("Tab")
        if await tab.run("document.activeElement === document.body"):
            continue  # Tab has come round
        name, outline = await tab.run(look)
        if name in stops:
            break
        assert outline != "none", f"{name} does not show that it has the focus"
        stops.append(name)
    return stops


async def test_a_thousand_messages_scroll_and_the_place_is_kept() -> None:
    async with at_page(bot=False) as person:
        tab, twin = person.tab, person.twin
        people = [twin.user, *(twin.add_user(name) for name in ("carol", "dave"))]
        place = twin.add_channel("long")
        for number in range(1000):
            words = f"message {number}: **some** words, `code`, and more of them"
            twin.say(place, people[number // 3 % 3], words, silent=True)
        await person.go("long")
        await person.sees("message 999")
        assert await tab.run("document.getElementById('messages').scrollHeight") > 1000
        while await tab.run("document.querySelector('.beginning') === null"):
            before = await tab.run("document.querySelectorAll('#rows article').length")
            await tab.run("document.getElementById('messages').scrollTop = 0; 0")
            await tab.until(f"document.querySelectorAll('#rows article').length > {before}")
        assert await tab.run("document.querySelectorAll('#rows article').length") == 1000
        rows = "[...document.querySelectorAll('#rows article')]"
        texts = f"{rows}.map(one => one.innerText.match(/message (\\d+)/)[1])"
        assert await tab.run(texts) == [str(number) for number in range(1000)]

        work = await scroll(tab)
        assert work < 0.016, f"a frame cost {1000 * work:.1f} ms of work"
        await tab.run("document.getElementById('messages').scrollTop = 3000; 0")
        twin.say(place, people[1], "one more")
        await person.sees("1 new message", "#jump")
        assert abs(await tab.run("document.getElementById('messages').scrollTop") - 3000) < 5
        await tab.click("#jump")
        await at_end(tab)
        await tab.run("document.getElementById('messages').scrollTop = 3000; 0")
        await person.write("sending scrolls down")
        await person.sees("sending scrolls down")
        await at_end(tab)
        await tab.run(GROW)
        await at_end(tab)
        person.has_no_faults()


async def at_end(tab: Tab) -> None:
    left = "(box => box.scrollHeight - box.scrollTop - box.clientHeight)"
    await tab.until(f"{left}(document.getElementById('messages')) < 2")


async def scroll(tab: Tab) -> float:
    """Scroll from the end to the beginning; the processor's seconds that the page needs for a frame."""
    await tab.call("Performance.enable", timeDomain="threadTicks")
    before = await work_of(tab)
    frames: int = await tab.run(SCROLL)
    return (await work_of(tab) - before) / frames


async def work_of(tab: Tab) -> float:
    metrics = (await tab.call("Performance.getMetrics"))["metrics"]
    parts = {"LayoutDuration", "RecalcStyleDuration", "ScriptDuration"}
    return sum(float(one["value"]) for one in metrics if one["name"] in parts)


GROW = """{
    // A picture arrives between a step to the end and the news of that step.
    const picture = document.createElement("div");
    picture.style.height = "500px";
    document.getElementById("rows").append(picture);
    document.getElementById("messages").dispatchEvent(new Event("scroll"));
}"""
SCROLL = """new Promise(done => {
    const box = document.getElementById("messages");
    let frames = 0;
    box.scrollTop = box.scrollHeight;
    requestAnimationFrame(function step() {
        frames += 1;
        box.scrollTop -= 1500;
        if (box.scrollTop > 0) requestAnimationFrame(step);
        else done(frames);
    });
})"""


async def test_what_was_missed_is_there_when_the_connection_is_back() -> None:
    async with at_page(bot=False) as person:
        tab, twin = person.tab, person.twin
        await person.write("before")
        await person.sees("before")
        await tab.type("a draft")
        await twin.go_offline()
        await person.sees("The twin is away", "#state")
        await tab.press("Enter")
        await tab.until("document.getElementById('text').value === 'a draft'")
        bob = next(one for one in twin.state.users.values() if one.name == "bob")
        twin.say(twin.channel, bob, "while you were away")
        twin.delete(next(iter(twin.channel.messages.values())))
        await twin.go_online()
        await person.sees("while you were away")
        await person.misses("before")
        await tab.until("document.getElementById('state').hidden")
        await tab.press("Enter")
        await person.until("a draft")
        await tab.call("Page.reload")
        await person.sees("a draft")
        assert not tab.elsewhere


async def test_two_tabs_are_two_people_if_they_like() -> None:
    async with at_page() as person:
        twin, first = person.twin, person.tab
        bob = next(one for one in twin.state.users.values() if one.name == "bob")
        second = await person.browser.open(f"{twin.base_url}/?as={bob.id}", *WIDTHS["phone"], touch=True)
        await person.write("hello, bob")
        await second.sees("hello, bob", "#rows")
        await second.run("document.getElementById('text').focus()")
        await second.type("hello")
        await person.sees("bob is typing", "#typing")
        await second.press("Enter")
        await person.sees("hello")
        await person.use_command("note add")
        await first.run(f"document.getElementById('option-who').value = '{bob.id}'; 0")
        await first.run("document.getElementById('option-text').focus()")
        await first.type("secret")
        await first.press("Enter")
        await person.sees("noted for @bob: secret")
        assert "noted" not in await second.run("document.body.innerText")
        twin.say(twin.channel, bob, "the last words")
        await second.sees("the last words", "#rows")
        assert "noted" not in await second.run("document.body.innerText")
        faults = second.faults
        await second.close()
        await person.write("are you there?")
        await person.sees("are you there?")
        async with asyncio.timeout(10):
            while len(person.page._viewers) > 1:
                twin.say(twin.channel, bob, "anybody?")
                await asyncio.sleep(0.01)
        assert faults == []
        person.has_no_faults()


async def test_without_a_bot_a_command_says_so_and_the_page_stays_whole() -> None:
    async with at_page(bot=False) as person:
        person.twin.bot.commands[1] = {"id": "1", "name": "help", "type": 1, "description": "Help"}
        await person.use_command("help")
        await person.tab.press("Enter")
        await person.sees("No bot is connected", "#state")
        await person.write("/nothing of that name")
        assert (await person.until("/nothing")).content == "/nothing of that name"
        person.has_no_faults()


async def test_who_types_fast_sends_words_and_not_the_command_that_fewer_letters_offered() -> None:
    async with at_page(bot=False) as person:
        person.twin.bot.commands[1] = {"id": "1", "name": "help", "type": 1, "description": "Help"}
        await person.tab.run("document.getElementById('text').focus()")
        await person.tab.type("/h")
        await person.sees("/help", "#suggestions")
        # No answer of the twin can come between the last letter and Enter.
        await person.tab.run(
            "(text => { text.value = '/hm no'; text.dispatchEvent(new Event('input'));"
            " text.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true })); })"
            "(document.getElementById('text'))"
        )
        assert (await person.until("/hm")).content == "/hm no"

        # Nor does a channel that is still being loaded take the field away.
        other = next(one.id for one in person.twin.state.channels.values() if one.name == "other")
        await person.tab.run(
            f"document.dispatchEvent(new CustomEvent('visit', {{ detail: '{other}' }})),"
            "document.getElementById('text').focus()"
        )
        await person.tab.until("document.querySelector('.where')?.innerText === 'other'")
        assert await person.tab.run("document.activeElement.id") == "text"
        person.has_no_faults()

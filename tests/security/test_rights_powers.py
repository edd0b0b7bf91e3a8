"""No one lets the bot do what they themselves may not: ping a role, see a channel, post in it, read back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bot.commands.using import CommandUser, with_commands
from bot.models import Model
from bot.stage import on_stage
from discord_twin import Channel, Permission, Role, User
from streamcord import ThoughtDelta
from streamcord.store import Memory

CHANNELS = Permission.MANAGE_CHANNELS
SEEN = Permission.VIEW_CHANNEL


@dataclass(slots=True)
class Scene(CommandUser):
    """A server with a role that few may ping, and someone who manages channels and nothing else."""

    helpers: Role
    keeper: User

    def add(self, name: str, permissions: Permission) -> User:
        twin = self.stage.twin
        user = twin.state.add_user(name)
        role = twin.state.add_role(twin.guild, f"{name}s", permissions)
        twin.state.add_member(twin.guild, user, [role])
        return user

    def take_all_rights(self, user: User) -> None:
        self.stage.twin.guild.members[user.id].role_ids.clear()

    @property
    def pinged_roles(self) -> set[int]:
        return {ping.target_id for ping in self.stage.twin.log.pings if ping.kind == "role"}

    async def answered(self, user: User, times: int = 1, text: str = "call the helpers") -> None:
        """Let someone ask, and wait until all is said."""
        self.stage.ask(text, user=user)
        await self.stage.twin.until(lambda: len(self.stage.said()) >= times or None)
        await self.stage.quiet()


@asynccontextmanager
async def scene(*words: object) -> AsyncIterator[Scene]:
    """A bot that says `words`; without any, it calls the helpers, and may itself ping every role."""
    box: list[int] = []
    model = Model(lambda _: [*(words or [f"Hey <@&{box[0]}>!"])])
    async with with_commands(model) as commands:
        twin = commands.stage.twin
        helpers = twin.state.add_role(twin.guild, "helpers")
        box.append(helpers.id)
        twin.state.add_member(twin.guild, twin.state.add_user("Hal"), [helpers])
        twin.state.overwrite(twin.channel, twin.bot.user, allow=Permission.MENTION_EVERYONE)
        made = Scene(commands.stage, commands.guest, helpers, commands.guest)
        made.keeper = made.add("keeper", CHANNELS)
        await commands.stage.settled()
        yield made


MENTIONS = {"name": "mentions", "value": "users_and_roles"}


async def test_who_may_not_ping_a_role_cannot_let_the_bot_ping_it() -> None:
    async with scene() as play:
        said = await play.says("settings set", play.keeper, **MENTIONS)
        tamer = await play.says("settings set", play.keeper, name="mentions", value="nobody")
        kept = await play.store.settings(play.place)

    assert said == "You need the permission **Mention @everyone, @here and All Roles** for that."
    assert "is now `nobody`" in tamer
    assert kept["mentions"] == "nobody"


async def test_a_role_is_pinged_for_those_who_may_and_for_nobody_else() -> None:
    async with scene() as play:
        await play.says("settings set", **MENTIONS)
        await play.answered(play.guest, 1)
        for_a_guest = set(play.pinged_roles)
        await play.answered(play.stage.twin.user, 2)
        for_the_owner = set(play.pinged_roles)

    assert (for_a_guest, for_the_owner) == (set(), {play.helpers.id})


@pytest.mark.parametrize("stored", ["without a setter", "by one who lost the right"])
async def test_what_was_set_counts_while_its_setter_has_the_right(stored: str) -> None:
    async with scene() as play:
        if stored == "without a setter":
            await play.store.change_settings(play.place, {"mentions": "users_and_roles"})
        else:
            caller = play.add("caller", CHANNELS | Permission.MENTION_EVERYONE)
            await play.stage.settled()
            assert "is now" in await play.says("settings set", caller, **MENTIONS)
            play.take_all_rights(caller)
        await play.answered(play.stage.twin.user)

    assert play.pinged_roles == set()


async def test_the_file_may_allow_roles_and_people_still_need_the_right() -> None:
    from bot.stage import make_config  # noqa: PLC0415

    box: list[int] = []
    model = Model(lambda _: [f"Hey <@&{box[0]}>!"])
    async with with_commands(model, config=make_config(settings={"mentions": "users_and_roles"})) as commands:
        twin = commands.stage.twin
        helpers = twin.state.add_role(twin.guild, "helpers")
        box.append(helpers.id)
        twin.state.overwrite(twin.channel, twin.bot.user, allow=Permission.MENTION_EVERYONE)
        await commands.stage.settled()
        play = Scene(commands.stage, commands.guest, helpers, commands.guest)
        await play.answered(commands.guest, 1)
        for_a_guest = set(play.pinged_roles)
        await play.answered(twin.user, 2)

    assert (for_a_guest, play.pinged_roles) == (set(), {helpers.id})


# --- The thought log --------------------------------------------------------------------------------------

THOUGHTFUL = (ThoughtDelta("secret "), "Purr.")


def hide(play: Scene, channel: Channel, user: User, deny: Permission) -> None:
    play.stage.twin.state.overwrite(channel, user, deny=deny)


@pytest.mark.parametrize("denied", [SEEN, Permission.SEND_MESSAGES], ids=["unseen", "read only"])
async def test_thoughts_go_nowhere_where_their_setter_cannot_write(denied: Permission) -> None:
    async with scene(*THOUGHTFUL) as play:
        hidden = play.stage.twin.add_channel("staff")
        hide(play, hidden, play.keeper, denied)
        await play.stage.settled()
        refused = await play.says("settings set", play.keeper, name="thought_log", value=str(hidden.id))
        await play.answered(play.guest)

    assert refused == "You must be able to see and write in that channel yourself."
    assert play.stage.said(hidden) == []


@pytest.mark.parametrize("later", ["kept", "lost", "unknown setter"])
async def test_thoughts_are_told_while_their_setter_could_write_them(later: str) -> None:
    async with scene(*THOUGHTFUL) as play:
        log = play.stage.twin.add_channel("log")
        await play.stage.settled()
        assert "is now" in await play.says("settings set", play.keeper, name="thought_log", value=str(log.id))
        if later == "lost":
            hide(play, log, play.keeper, SEEN)
            await play.stage.settled()
        elif later == "unknown setter":
            await play.store.change_settings(play.place, {"by.thought_log": None})
        await play.answered(play.guest)
        told = [embed["description"] for one in play.stage.said(log) for embed in one.draft.embeds]

    assert told == (["secret"] if later == "kept" else [])


# --- Rights of their own ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "value"), [("rules", "false"), ("impersonation", "off")])
async def test_some_settings_need_manage_server_even_for_one_channel(name: str, value: str) -> None:
    async with scene() as play:
        manager = play.add("manager", CHANNELS | Permission.MANAGE_GUILD)
        await play.stage.settled()
        refused = await play.says("settings set", play.keeper, name=name, value=value)
        taken = await play.says("settings set", manager, name=name, value=value)

    assert refused == "You need the permission **Manage Server** for that."
    assert "is now" in taken


async def test_who_may_not_read_back_is_not_told_what_is_remembered() -> None:
    async with scene() as play:
        twin = play.stage.twin
        await play.store.remember(Memory("Luna", play.place, "Hi.", (1,), ("hidden note",)))
        twin.state.overwrite(twin.channel, play.guest, deny=Permission.READ_MESSAGE_HISTORY)
        refused = await play.says("memory show", play.guest)
        shown = await play.says("memory show", play.keeper)

    assert refused == "You need the permission **Read Message History** for that."
    assert "hidden note" in shown


@pytest.mark.parametrize("route", ["mention", "ask", "thread"])
async def test_the_bot_reads_nothing_back_for_who_may_not(route: str) -> None:
    """They get what they wrote themselves and what they were answered, and no memory of the channel."""
    model = Model(["I said it to you."], ["Fine."], ["Fine."])
    async with on_stage(model) as stage:
        twin = stage.twin
        guest, place = twin.add_user("guest"), twin.channel
        if route == "thread":
            place = twin.users.start_thread(twin.channel, twin.user, "a thread")
        twin.say(place, twin.user, "The vault opens with 4711.")
        stage.ask("my own secret is 1234", place)
        await stage.texts(1, place)
        await stage.quiet()
        twin.state.overwrite(twin.channel, guest, deny=Permission.READ_MESSAGE_HISTORY)
        await stage.settled()
        twin.say(place, guest, "an earlier remark of mine")
        if route == "ask":
            twin.slash("ask", place, guest, question="what was said before?")
        else:
            stage.ask("what was said before?", place, guest)
        await model.called(2)
        await stage.quiet()
        prompt = str(model.prompts[1])
        stage.ask("and for me?", place)
        await model.called(3)

    assert "what was said before?" in prompt
    assert "an earlier remark of mine" in prompt
    assert not any(word in prompt for word in ("4711", "1234", "I said it to you"))
    assert "4711" in str(model.prompts[2])

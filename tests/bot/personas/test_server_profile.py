"""The bot's name and picture in a server follow the persona that was chosen for it."""

from __future__ import annotations

from typing import Any

from bot.commands.using import with_commands
from bot.stage import make_config
from discord_twin import Permission
from streamcord.store import Picture
from streamcord_bot.personas.pictures import plain_png

FACE = plain_png(64, (9, 8, 7))
PROFILE = make_config(discord={"server_profile": True})


def face(commands: Any) -> tuple[str | None, bool]:
    """The bot's name in the server, and whether it has a picture of its own there."""
    twin = commands.stage.twin
    member = twin.guild.members[twin.bot.id]
    return member.nick, member.avatar is not None


async def test_profile_does_not_follow_the_persona_of_the_server() -> None:
    async with with_commands(config=PROFILE) as commands:
        await commands.says("persona create", name="Ren")
        await commands.store.save_avatar(
            commands.guild, "Ren", Picture("https://a.example/x.png", FACE, "image/png")
        )
        await commands.tells("persona switch", name="Ren")
        in_channel = face(commands)
        await commands.tells("persona switch", name="Ren", where="server")
        await commands.stage.settled()
        shown = face(commands)
        await commands.tells("persona switch", where="server")
        await commands.stage.settled()
        after = face(commands)

    assert (in_channel, shown, after) == ((None, False), ("Ren", True), (None, False))


async def test_name_that_somebody_gave_the_bot_is_taken_away() -> None:
    async with with_commands(config=PROFILE) as commands:
        twin = commands.stage.twin
        await commands.says("persona create", name="Ren")
        await commands.tells("persona switch", name="Ren", where="server")
        await commands.stage.settled()
        twin.guild.members[twin.bot.id].nick = "Helper"
        await commands.stage.bot.guilds[0].me.edit(nick="Helper")
        await commands.stage.settled()
        await commands.tells("persona switch", where="server")
        await commands.stage.settled()

        assert face(commands)[0] == "Helper"


async def test_profile_is_changed_without_the_setting() -> None:
    async with with_commands() as commands:
        await commands.says("persona create", name="Ren")
        await commands.tells("persona switch", name="Ren", where="server")
        await commands.stage.settled()

        assert face(commands) == (None, False)


async def test_refused_profile_fails_the_command() -> None:
    async with with_commands(config=PROFILE) as commands:
        twin = commands.stage.twin
        for role in twin.guild.roles.values():
            role.permissions &= ~Permission.CHANGE_NICKNAME
        await commands.says("persona create", name="Ren")
        await commands.store.save_avatar(
            commands.guild, "Ren", Picture("", b"GIF89a no picture", "image/gif")
        )

        assert "Ren" in await commands.tells("persona switch", name="Ren", where="server")
        await commands.stage.settled()
        assert face(commands)[0] is None

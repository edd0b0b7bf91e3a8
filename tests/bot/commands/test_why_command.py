from __future__ import annotations

from bot.commands.answers import answer_to
from bot.stage import on_stage
from streamcord.testing import ScriptedProvider


async def test_why_names_the_boundary_the_rules_and_the_wait_of_a_message() -> None:
    model = ScriptedProvider(["Luna: Hello there!\nHow are you?"])
    async with on_stage(model) as stage:
        stage.ask("hi")
        first = await stage.twin.next_message()
        await stage.quiet()
        by_menu = await answer_to(stage.twin, stage.twin.menu("Why?", first))
        by_link = f"https://discord.com/channels/1/2/{first.id}"
        by_slash = await answer_to(stage.twin, stage.twin.slash("why", message=by_link))
        newest = await answer_to(stage.twin, stage.twin.slash("why"))

    assert by_menu.is_ephemeral
    assert "message 1 of 2" in by_menu.content
    assert "**cut** (newline)" in by_menu.content
    assert "**rule** own name: `Luna:`" in by_menu.content
    assert "**waited**" in by_menu.content
    assert by_slash.content == by_menu.content
    assert "message 2 of 2" in newest.content


async def test_why_brings_the_source_of_a_table_and_knows_nothing_of_other_peoples_messages() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    async with on_stage(ScriptedProvider([table])) as stage:
        said = stage.ask("a table")
        picture = await stage.twin.next_message()
        await stage.quiet()
        why = await answer_to(stage.twin, stage.twin.menu("Why?", picture))
        other = await answer_to(stage.twin, stage.twin.menu("Why?", said))
        elsewhere = stage.twin.add_channel("elsewhere")
        spying = stage.twin.slash("why", elsewhere, stage.twin.user, message=str(picture.id))
        spied = await answer_to(stage.twin, spying)

    assert why.attachments[0].content.decode() == table
    assert "do not remember" in other.content
    assert "do not remember" in spied.content

"""An interactions.py bot on the local Discord: a form is filled in."""

import asyncio

import pytest

from discord_twin import FakeUser, Twin

interactions = pytest.importorskip("interactions")
route = pytest.importorskip("interactions.api.http.route")


async def test_a_form_is_filled_in(twin: Twin, twin_user: FakeUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route.Route, "BASE", twin.api_url)

    async def form(ctx: interactions.SlashContext) -> None:
        field = interactions.ShortText(label="Name", custom_id="name")
        await ctx.send_modal(interactions.Modal(field, title="Who are you?", custom_id="form"))

    async def filled(ctx: interactions.ModalContext, name: str) -> None:
        await ctx.send(f"Hello {name}!")

    client = interactions.Client(intents=interactions.Intents.DEFAULT, sync_interactions=True)
    client.add_interaction(interactions.slash_command("form", description="fill in a form")(form))
    client.add_modal_callback(interactions.modal_callback("form")(filled))
    life = asyncio.create_task(client.astart(twin.token))
    try:
        await twin.until(lambda: twin.bot.commands, timeout=20)
        modal = twin_user.slash("form")
        await twin.until(lambda: modal.callback)
        twin_user.submit(modal, name="Ada")
        assert (await twin.next_message()).content == "Hello Ada!"
    finally:
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)
        await client.http.close()

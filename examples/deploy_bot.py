"""A bot that deploys what people allow: the question survives a restart, and each decision counts once."""

import asyncio
import os

import discord

from streamcord import Ask, AskField, AskOption, Message, say
from streamcord.discord import Asks
from streamcord.providers import HttpProvider, Post, Provider, Tool, tool, user, with_tools
from streamcord.store import AskRow, AskState, Place, Store, open_store

APPROVERS = (1234567890,)  # ids of people or roles
REASON = AskField("reason", "Why not?", long=True)
OPTIONS = (AskOption("Deploy", "yes", style="good"), AskOption("No", "no", style="danger", fields=(REASON,)))


class DeployBot(discord.Client):
    def __init__(self, store: Store, model: Provider) -> None:
        super().__init__(intents=discord.Intents(guilds=True, messages=True, message_content=True))
        self.store, self.model = store, model
        self.asks = Asks(store, on_decision=lambda row, _press: self.act(row))

    def deploy_tool(self, message: discord.Message) -> Tool:
        @tool
        async def deploy(version: str, post: Post) -> str:
            """Deploy a version, once a person has allowed it."""
            ask = Ask(f"Deploy **{version}**?", OPTIONS, who=APPROVERS, roles=APPROVERS, expires=3600)
            place = Place(message.guild.id if message.guild else 0, message.channel.id)
            bot = self.user.id if self.user else 0
            kept = await self.asks.open(ask, place=place, bot=bot, about={"version": version})
            post.put(Message(kept.text, ask=kept))
            return "People were asked; the result is posted when they have decided."

        return deploy

    async def on_message(self, message: discord.Message) -> None:
        if not message.author.bot:
            await say(message, with_tools(self.model, user(message.content), [self.deploy_tool(message)]))

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        await self.asks.on_interaction(interaction)

    async def on_ready(self) -> None:
        # Decisions that were made just before a restart.
        for row in await self.store.asks(self.user.id if self.user else 0, AskState.DECIDED):
            await self.act(row)

    async def act(self, row: AskRow) -> None:
        # Of all that try, in any number of processes, one may act.
        if not (
            await self.store.take_ask(row.id, "deploy") and await self.store.act_on_ask(row.id, "deploy")
        ):
            return
        said = row.decision
        text = f"{row.about['version']} was not deployed: {said.inputs.get('reason') if said else ''}"
        if said is not None and said.value == "yes":
            text = f"{row.about['version']} is out."  # here you would deploy
        await self.store.close_ask(row.id)
        await self.get_partial_messageable(row.place.channel).send(
            text, allowed_mentions=discord.AllowedMentions.none()
        )


async def main() -> None:
    store = await open_store("deploy.db")
    async with HttpProvider("openai", model="gpt-5-mini", key=os.environ["OPENAI_API_KEY"]) as model:
        await DeployBot(store, model).start(os.environ["DISCORD_TOKEN"])


if __name__ == "__main__":
    asyncio.run(main())

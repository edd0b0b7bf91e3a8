"""`/tools`: show which tools may be called here, what people must approve, and which servers of tools there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import discord
from discord import app_commands

from ..answering.builtin_tools import Tools
from ..answering.mcp_tools import McpToolbox, ServerState
from ..config import BotConfig, ToolConfig
from ..i18n import translate
from ..personas.server_personas import escape, show_name
from ..policy.access import requester_of
from ..policy.channel_config import ChannelConfigs, place_of
from ..policy.permissions import stop_requester_of
from ..policy.tool_access import may_call
from ..ui.notices import reply_privately
from .base import TEXT_LENGTH, AnyCommand

_APPROVALS = {"always": "tools_always", "first": "tools_first"}


def build_tools(
    config: BotConfig, channel_configs: ChannelConfigs, tools: Tools, mcp: McpToolbox
) -> AnyCommand:
    """Build `/tools`."""

    @app_commands.command(name="tools", description="Which tools I may use here, and what I must ask first")
    async def tools_(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.defer(ephemeral=True)
        if interaction.channel is None:
            return
        channel_config, _ = await channel_configs.find_or_default(*place_of(interaction.channel))
        name, locale = channel_config.persona.name, str(interaction.locale)
        requester = requester_of(
            interaction.user.id, stop_requester_of(interaction).roles, interaction.channel
        )
        states = [*mcp.states_for(name, requester)]
        model = config.models.get(channel_config.model)
        known = [one.spec.name for one in tools.chosen(lambda _: True)]
        known += [tool for state in states for tool in state.tools if tool not in known]
        has_tools = model is None or model.tools
        callable_ = [one for one in known if has_tools and may_call(config, name, one)]
        text = describe_tools(locale, name, config.tools, callable_, states)
        await reply_privately(interaction, text)

    return tools_


def describe_tools(
    locale: str, name: str, config: ToolConfig, tools: Sequence[str], servers: Iterable[ServerState]
) -> str:
    """Return the tools and servers, one line each, as far as they fit into a message."""
    # The whole heading is bold.
    head = (
        translate(locale, "tools_head", name=escape(name))
        if tools
        else translate(locale, "tools_none", name=show_name(name))
    )
    ending = [_describe_server(locale, one) for one in servers]
    room = TEXT_LENGTH - sum(len(one) + 1 for one in ending) - len(head) - 40
    return "\n".join([head, *_fit([_describe_tool(locale, config, one) for one in tools], room), *ending])[
        :TEXT_LENGTH
    ]


def _describe_tool(locale: str, config: ToolConfig, name: str) -> str:
    key = _APPROVALS.get(config.approval_of(name).mode)
    return f"- `{name}`" + (f": {translate(locale, key)}" if key else "")


def _describe_server(locale: str, state: ServerState) -> str:
    """Return the state of a server; why it is away is for the operator, whom `check` and the log tell."""
    if not state.is_known:
        words = translate(locale, "tools_starting")
    elif state.error:
        words = translate(locale, "tools_away")
    else:
        words = translate(locale, "tools_count", count=len(state.tools))
    return f"-# 🔌 {state.config.name}: {words}"


def _fit(lines: Sequence[str], room: int) -> Iterator[str]:
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            yield f"- … +{len(lines) - number}"
            return
        yield line

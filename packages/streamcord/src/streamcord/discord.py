"""Transports, webhooks and rate limits for discord.py."""

from __future__ import annotations

from ._delivery.outgoing import AllowedMentions
from ._discord.ask_components import find_ask_id
from ._discord.asks import Asks, AskStore, OnDecision, decided_edit, shown_decision
from ._discord.channel import DiscordChannel
from ._discord.components_v2 import with_buttons
from ._discord.errors import is_refusal
from ._discord.global_rate_limit import RequestFigures, RequestPriority
from ._discord.interaction import DiscordInteraction, Target
from ._discord.overflow_file import is_user_install_only
from ._discord.protocols import WebhookSender
from ._discord.rate_limits import (
    RequestBlock,
    block_requests,
    find_block,
    find_request_figures,
    has_request_slot,
    on_token_refused,
    share_requests,
    wait_for_request_slot,
)
from ._discord.redirect import redirect_discord_py
from ._discord.replacing_channel import ReplacingChannel
from ._discord.response_checks import check_responses
from ._discord.webhooks.impersonation import ImpersonationPolicy
from ._discord.webhooks.sender import Webhooks
from ._events.ask import ButtonStyle

__all__ = [
    "AllowedMentions",
    "AskStore",
    "Asks",
    "ButtonStyle",
    "DiscordChannel",
    "DiscordInteraction",
    "ImpersonationPolicy",
    "OnDecision",
    "ReplacingChannel",
    "RequestBlock",
    "RequestFigures",
    "RequestPriority",
    "Target",
    "WebhookSender",
    "Webhooks",
    "block_requests",
    "check_responses",
    "decided_edit",
    "find_ask_id",
    "find_block",
    "find_request_figures",
    "has_request_slot",
    "is_refusal",
    "is_user_install_only",
    "on_token_refused",
    "redirect_discord_py",
    "share_requests",
    "shown_decision",
    "wait_for_request_slot",
    "with_buttons",
]

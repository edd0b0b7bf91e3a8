"""What the models of Claude accept: prefills, sampling parameters, and how much they think.

https://platform.claude.com/docs/en/about-claude/models/migration-guide and
https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5 .
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..prompt import Options
from .thinking_budgets import BUDGETS, UNASKED, length_with_thoughts

# A family and its version: `claude-opus-4-8`, `claude-haiku-4-5-20251001`, `anthropic.claude-opus-5`.
_NAME = re.compile(r"claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
_OLD_NAME = re.compile(r"claude-3\b")

MIN_BUDGET = 1024
DEFAULT_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class ClaudeLimits:
    """What one model accepts."""

    max_output: int
    """Tokens that it may write, thoughts included."""
    has_budget: bool = False
    """Whether it thinks within a budget of tokens; later models adapt to an effort."""
    takes_prefill: bool = False
    takes_sampling: bool = False
    """Whether it takes `temperature` and `top_p`."""
    thinks_unasked: bool = False
    can_be_silent: bool = True
    """Whether thinking can be turned off; where it cannot, no tool can be forced."""
    takes_xhigh: bool = True


def limits_of(model: str) -> ClaudeLimits:
    """Return what a model accepts; an unknown Claude is treated as the newest, and another model takes all."""
    if "claude" not in model:
        # Other companies speak this API, too.
        return ClaudeLimits(64_000, takes_prefill=True, takes_sampling=True)
    if _OLD_NAME.search(model):
        return ClaudeLimits(64_000, has_budget=True, takes_prefill=True, takes_sampling=True)
    found = _NAME.search(model)
    version = (int(found[1]), int(found[2] or 0)) if found else (99, 0)
    return ClaudeLimits(
        # https://platform.claude.com/docs/en/about-claude/models/overview : Opus 4 and 4.1 write 32 000 tokens.
        32_000 if version < (4, 2) and "opus" in model else 64_000,
        has_budget=version < (4, 6),
        takes_prefill=version < (4, 6),
        takes_sampling=version < (4, 7),
        thinks_unasked=version >= (5, 0),
        can_be_silent=version < (5, 1),
        takes_xhigh=version >= (4, 7),
    )


def thinking_of(options: Options) -> dict[str, Any]:
    """Return the parts of a request that say how much to think, with `max_tokens`.

    Thoughts count in `max_tokens`, so the limit grows by what they may take: a limit of 300 must not be all thoughts.
    """
    limits, effort = limits_of(options.model), options.reasoning
    wanted = options.max_tokens or DEFAULT_TOKENS
    if effort == "none" and not limits.can_be_silent:
        effort = "low"
    if effort == "none" or (effort is None and not limits.thinks_unasked):
        off: dict[str, Any] = {"thinking": {"type": "disabled"}} if effort else {}
        return {"max_tokens": wanted, **off}
    thoughts = BUDGETS[effort or UNASKED]
    total = length_with_thoughts(wanted, thoughts, limits.max_output) or wanted
    if limits.has_budget:
        # A budget must be smaller than the limit.
        total = max(total, MIN_BUDGET + 1)
        budget = max(MIN_BUDGET, min(thoughts, total - wanted))
        return {"max_tokens": total, "thinking": {"type": "enabled", "budget_tokens": budget}}
    if effort is None:
        return {"max_tokens": total}
    told = {"minimal": "low"}.get(effort, effort)
    told = "high" if told == "xhigh" and not limits.takes_xhigh else told
    return {
        "max_tokens": total,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": told},
    }

"""Ask people before a tool runs: a card with the action and its arguments, and who wants it.

An approval is a question like any other (`tool_asks.py`), asked before the tool's own function is called. So a tool
that was not approved has done nothing, and one that was approved runs exactly once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import category

from streamcord import Ask, AskField, AskOption, Attachment, Decision, StoreError, ToolError
from streamcord.providers import AskUser, Tool
from streamcord.store import AskRow
from streamcord.utils import break_fences, hide_secrets, strip_controls

from ..config.approvals import ApprovalRule
from ..config.tools import ToolConfig
from ..i18n import translate
from .ask_store import BotAskStore
from .continuation import run_tool

ALLOWED_FOR_S = 86_400.0
"""How long a tool stays allowed in a conversation: one person's with the bot, in one channel."""
MAX_SHOWN_CHARS = 900
"""Characters of the arguments on the card; longer ones are a file."""
MAX_FILE_CHARS = 1_000_000
MAX_REASON_CHARS = 300
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Categories of characters that have no picture, such as those that reverse the direction of text."""
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters that look like nothing."""
_ASK_NAME = "approval_"
"""The parameter through which the approval asks, for tools that do not ask people themselves."""


@dataclass(frozen=True, slots=True)
class Approver:
    """Puts an approval before the tools of one answer.

    Example:
        tools = [approver.wrap(tool) for tool in tools]

    """

    config: ToolConfig
    store: BotAskStore
    channel: int
    owner: int
    locale: str
    now: Callable[[], float]
    hide: Callable[[str], str] = hide_secrets
    """Removes secrets from what is shown."""
    cost: Callable[[], str] = lambda: ""
    """What the answer has cost so far, in words."""

    def wrap(self, tool: Tool) -> Tool:
        """Return the same tool, or one that asks before it runs."""
        rule = self.config.approval_of(tool.spec.name)
        if rule.mode == "never":
            return tool
        ask_name = tool.ask_name or _ASK_NAME

        async def call(**arguments: Any) -> Any:  # noqa: ANN401 - as the tool has it
            ask: AskUser = arguments[ask_name]
            if not tool.ask_name:
                del arguments[ask_name]
            given = {name: one for name, one in arguments.items() if name in _properties(tool)}
            await self._approve(tool.spec.name, rule, given, ask)
            return await run_tool(tool, arguments)

        return replace(tool, function=call, ask_name=ask_name)

    async def _approve(
        self, name: str, rule: ApprovalRule, arguments: Mapping[str, Any], ask: AskUser
    ) -> None:
        """Return if a person allows the call; else raise a `ToolError` that says who did not, and why."""
        ids = rule.approvers or (self.owner,)
        if rule.mode == "first" and await self._is_allowed(name, ids):
            return
        card, files = self._card(name, rule, ids, arguments)
        decision = await ask(card, (), *files)
        if decision.value in {"once", "here"}:
            return
        reason = " ".join(decision.inputs.get("reason", "").split())[:MAX_REASON_CHARS]
        raise ToolError("The user did not allow this call." + (f" They said: {reason}" if reason else ""))

    async def _is_allowed(self, name: str, approvers: Iterable[int]) -> bool:
        what = _permission(name, self.owner, approvers)
        try:
            return await self.store.is_allowed(self.channel, what, self.now() - ALLOWED_FOR_S)
        except StoreError:
            # Asking once more does no harm.
            return False

    def _card(
        self, name: str, rule: ApprovalRule, ids: tuple[int, ...], arguments: Mapping[str, Any]
    ) -> tuple[Ask, tuple[Attachment, ...]]:
        text = _with_escapes(self.hide(json.dumps(arguments, ensure_ascii=False, indent=1, default=str)))
        shown = self._translate("approve_card", tool=strip_controls(name)[:64], owner=f"<@{self.owner}>")
        files: tuple[Attachment, ...] = ()
        if len(text) <= MAX_SHOWN_CHARS:
            shown += f"\n```json\n{break_fences(text)}\n```"
        else:
            content = text[:MAX_FILE_CHARS].encode("utf-8", "replace")
            files = (Attachment("arguments.json", content, self._translate("approve_arguments")),)
            shown += f"\n{self._translate('approve_arguments')}"
        options = [AskOption(self._translate("approve_once"), "once", style="good")]
        if rule.mode == "first":
            options.append(AskOption(self._translate("approve_here"), "here"))
        options += [
            AskOption(self._translate("approve_no"), "no", style="danger"),
            AskOption(
                self._translate("approve_because"),
                "because",
                fields=(AskField("reason", self._translate("approve_reason"), long=True, max_chars=300),),
            ),
        ]
        ask = Ask(
            shown, options, who=ids, roles=ids, expires=self.config.ask_timeout, notice=True, note=self.cost()
        )
        return ask, files

    def _translate(self, key: str, **values: object) -> str:
        return translate(self.locale, key, **values)


def allowed_by(row: AskRow, decision: Decision) -> str:
    """Return what a decision allows in its channel from then on: a tool, for who asked; empty for nothing."""
    call = row.about.get("call")
    if decision.value != "here" or not row.ask.notice or not isinstance(call, dict):
        return ""
    return _permission(str(call.get("name")), row.owner, row.ask.who)


def _permission(name: str, owner: int, approvers: Iterable[int]) -> str:
    """Return the key of a permission; it ends when others become the approvers."""
    return f"tool:{name} for:{owner} by:{','.join(map(str, sorted(approvers)))}"


def _with_escapes(text: str) -> str:
    """Return JSON with each character that would not be seen as its escape: people approve what the tool gets."""
    hidden = {one for one in set(text) if one != "\n" and (category(one) in _UNSEEN or one in _FILLERS)}
    return text.translate({ord(one): _escape(one) for one in hidden})


def _escape(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _properties(tool: Tool) -> Mapping[str, Any]:
    found = tool.spec.parameters.get("properties", {})
    return found if isinstance(found, Mapping) else {}

"""Asks the moderation endpoint of a provider, as OpenAI and those who speak like it have one.

https://platform.openai.com/docs/api-reference/moderations
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from .._errors import Overloaded, ProviderError
from .._providers.presets import check_base_url, check_line
from .moderators import ModerationStage

__all__ = ["HttpModerator"]

TEXT_LENGTH = 32_000
ANSWER_LENGTH = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpModerator:
    """A moderator behind `POST /moderations`; what cannot be asked is held back unless `fail_open`."""

    key: str = field(default="", repr=False)
    """The secret; it travels by https, or on this machine."""
    base_url: str = "https://api.openai.com/v1"
    model: str = "omni-moderation-latest"
    timeout: float = 10.0
    fail_open: bool = False
    """Whether a text passes that could not be checked, because the server is away or answers nonsense."""
    stages: Iterable[ModerationStage] = ("question", "answer")

    def __post_init__(self) -> None:
        check_base_url(self.base_url)
        check_line("key", self.key)

    async def check(self, text: str, stage: ModerationStage, /) -> str:
        """Which kinds of harm the server sees; empty if none."""
        if stage not in self.stages:
            return ""
        try:
            for at in range(0, len(text), TEXT_LENGTH):
                if reason := _read(await self._ask(text[at : at + TEXT_LENGTH])):
                    return reason
        except ProviderError:
            if self.fail_open:
                return ""
            raise
        return ""

    async def _ask(self, text: str) -> bytes:
        import aiohttp  # noqa: PLC0415  (an extra)

        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        limit = aiohttp.ClientTimeout(total=self.timeout)
        try:
            async with (
                aiohttp.ClientSession(timeout=limit, headers=headers) as session,
                session.post(
                    f"{self.base_url.rstrip('/')}/moderations",
                    json={"model": self.model, "input": text},
                    allow_redirects=False,
                ) as response,
            ):
                body = await response.content.read(ANSWER_LENGTH)
                status = response.status
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            # Without its cause: an error of a header would quote the key.
            raise Overloaded("The moderation endpoint cannot be reached.") from None
        if status != 200:
            raise ProviderError(f"The moderation endpoint answered {status}.")
        return body


def _read(body: bytes) -> str:
    """The kinds of harm in an answer of the server."""
    try:
        results = json.loads(body)["results"]
        flagged = [one["categories"] for one in results if one["flagged"]]
        found = {str(kind)[:40] for kinds in flagged for kind, is_it in kinds.items() if is_it}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ProviderError("The moderation endpoint answered something else.") from None
    return ", ".join(sorted(found)) or ("flagged" if flagged else "")

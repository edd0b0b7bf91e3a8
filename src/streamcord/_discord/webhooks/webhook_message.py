"""One message on its way through a webhook: what it is made of, and what was tried for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ..._delivery.outbox import Parcel
from ..._events import Attachment
from ..request import as_allowed, safe_name
from .appearance import Appearance
from .unconfirmed import describe
from .webhook_cache import WebhookChannel

__all__ = ["WebhookMessage"]

ALT_CAP = 1024
"""Characters that Discord takes as the description of a file."""

_SUPPRESS_EMBEDS = 1 << 2


@dataclass(slots=True)
class WebhookMessage:
    """A message on its way through a webhook: where it goes, how it looks, what was tried."""

    channel: Any
    home: WebhookChannel
    parcel: Parcel
    appearance: Appearance
    changes: tuple[str, ...] = ()
    tried: set[str] = field(default_factory=set)

    @property
    def key(self) -> str:
        """The key of the parcel, the same at every attempt."""
        return self.parcel.key

    @property
    def thread(self) -> dict[str, str]:
        """The query that names the thread; empty outside of threads."""
        return {} if self.channel.id == self.home.id else {"thread_id": str(self.channel.id)}

    @property
    def files(self) -> list[Attachment]:
        """The files that are sent with the text."""
        files = self.parcel.message.files
        return [replace(file, name=safe_name(file.name)) for file in files if isinstance(file, Attachment)]

    @property
    def body(self) -> str:
        """The text by which it is recognised when it is looked for."""
        appearance = self.appearance
        return describe(appearance.name, appearance.content, appearance.embeds, len(self.files))

    def tries(self, remedy: str) -> bool:
        """Whether this remedy was not tried yet; from now on it was."""
        fresh = remedy not in self.tried
        self.tried.add(remedy)
        return fresh

    def payload(self, avatar_url: str | None) -> dict[str, Any]:
        """The body of the request; all fields that decide about pings are set."""
        appearance, pings = self.appearance, replace(self.parcel.pings, replied_user=False)
        payload: dict[str, Any] = {
            "content": appearance.content,
            "username": appearance.name,
            "allowed_mentions": as_allowed(pings).to_dict(),
        }
        if avatar_url:
            payload["avatar_url"] = avatar_url
        if appearance.embeds:
            payload["embeds"] = [*appearance.embeds]
        elif not self.parcel.previews:
            payload["flags"] = _SUPPRESS_EMBEDS
        if self.files:
            payload["attachments"] = [_describe(number, file) for number, file in enumerate(self.files)]
        return payload


def _describe(number: int, file: Attachment) -> dict[str, Any]:
    alt = {"description": file.alt[:ALT_CAP]} if file.alt else {}
    return {"id": number, "filename": file.name, **alt}

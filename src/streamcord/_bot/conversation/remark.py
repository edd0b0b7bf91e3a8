"""One message of a channel, as a value that knows nothing of Discord's library."""

from __future__ import annotations

from dataclasses import dataclass, replace

from streamcord.providers import Image

__all__ = ["File", "Remark"]


@dataclass(frozen=True, slots=True)
class File:
    """A file under a message: its text, or none if it is of a kind that the model does not read."""

    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody said; `own` are our words, also those that we said through a webhook."""

    id: int
    author: int
    name: str
    text: str
    channel: int = 0
    own: bool = False
    bot: bool = False
    """Said by a machine: another bot, or a webhook that speaks for nobody."""
    dm: bool = False
    mentions_us: bool = False
    reply_to: int = 0
    replies_to_us: bool = False
    label: str = ""
    """How the model itself wrote who spoke: `Luna (mad): `."""
    images: tuple[Image, ...] = ()
    files: tuple[File, ...] = ()
    has_table: bool = False
    """Whether it shows a table of ours as a picture."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that a model could read."""
        return not (self.text.strip() or self.images or self.files)

    def with_text(self, text: str) -> Remark:
        """The same, after its author changed it."""
        return replace(self, text=text)

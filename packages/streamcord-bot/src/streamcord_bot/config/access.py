"""`[access]`: lists of people, roles, channels and servers."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord.settings import check_fields, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessList:
    """Ids of people, roles, channels (with their threads; a category with its channels) and servers."""

    people: tuple[int, ...] = setting((), "Ids of people.", minimum=1, is_id=True)
    roles: tuple[int, ...] = setting((), "Ids of roles.", minimum=1, is_id=True)
    channels: tuple[int, ...] = setting((), "Ids of channels or categories.", minimum=1, is_id=True)
    servers: tuple[int, ...] = setting((), "Ids of servers.", minimum=1, is_id=True)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def is_empty(self) -> bool:
        """Whether the list has no entries at all."""
        return not (self.people or self.roles or self.channels or self.servers)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessConfig:
    """`[access]`: whom the bot answers.

    Once `allow` has entries, direct messages are answered only for people whom it names.
    """

    allow: AccessList = setting(doc="Only these are answered, where a list is not empty.", factory=AccessList)
    block: AccessList = setting(doc="These are never answered, even if allowed.", factory=AccessList)
    leave_servers: bool = setting(False, "Whether the bot leaves servers that are not allowed.")

    def __post_init__(self) -> None:
        check_fields(self)

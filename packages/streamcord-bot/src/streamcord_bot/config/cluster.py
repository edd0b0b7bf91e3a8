"""`[cluster]`: several processes run one bot and share a PostgreSQL database."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from streamcord import SettingsError
from streamcord.settings import check_fields, setting

STORE = "store"
"""The value of `url` that means: use the database of the store."""
_SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterConfig:
    """`[cluster]`: where processes with one token find each other; without `url` there is one process."""

    url: str = setting(
        "", "postgresql://... without a password, or `store` for the address of the store; empty is off."
    )
    lease: float = setting(
        10.0,
        "Seconds without a heartbeat after which the other processes evict a process.",
        minimum=1,
        maximum=60,
    )
    identify_pause: float = setting(
        5.0,
        "Seconds between the logins of two shards; only a local Discord accepts less than 5.",
        minimum=0,
        maximum=60,
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if self.url and self.url != STORE and not self.url.startswith(_SCHEMES):
            raise SettingsError("url", "`store`, or an address that begins with postgresql://")
        if "://" in self.url and urlsplit(self.url).password:
            raise SettingsError("url", "without a password: write `store`, and put it into STREAMCORD_STORE")

    def address(self, store: str) -> str:
        """Return the address of the database.

        Raises:
            SettingsError: the store is a file, which processes on other machines cannot share.

        """
        if not store.startswith(_SCHEMES):
            allowed = (
                "on PostgreSQL: all processes of a cluster share one store (set it, or STREAMCORD_STORE)"
            )
            raise SettingsError("store", allowed)
        return store if self.url == STORE else self.url

"""`[tools.mcp.NAME]`: a server of tools by the Model Context Protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from streamcord import SettingsError
from streamcord.settings import check_fields, setting
from streamcord.utils import is_local_host

from .access import AccessList
from .approvals import check_approval
from .table_reader import check_variable

if TYPE_CHECKING:
    from streamcord.mcp import McpServer

_NAME = re.compile("[a-z][a-z0-9]{0,19}")
_SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "CREDENTIAL")


@dataclass(frozen=True, slots=True, kw_only=True)
class McpConfig:
    """`[tools.mcp.NAME]`: a server of tools, as a process of this machine or on the network."""

    name: str = setting("", "The table's own name, with which the names of its tools begin.")
    command: tuple[str, ...] = setting(
        (), "The program and its arguments, for a server on this machine; no shell reads them."
    )
    url: str = setting("", "The address of a server on the network.", repr=False)
    variables: tuple[str, ...] = setting(
        (), "Environment variables that its process gets besides PATH, HOME and the like; it gets no others."
    )
    environment: Mapping[str, str] = setting(
        doc="Their values; never read from the file.", factory=dict, repr=False
    )
    key_name: str = setting(
        "", "The environment variable of a key that is sent to `url` as `Authorization: Bearer`."
    )
    key: str = setting("", "The secret itself; never read from the file.", repr=False)
    allow: tuple[str, ...] = setting(
        ("*",), "Which of its tools may be called: names or patterns, such as read_*."
    )
    personas: tuple[str, ...] = setting((), "Personas that may call its tools; empty is all.")
    access: AccessList = setting(
        doc="For whom its tools may be called: people, roles, channels, servers; all, if nothing is named.",
        factory=AccessList,
    )
    approve: str = setting(
        "first", "Whether people must approve its tools: always, first (once per conversation) or never."
    )
    approvers: tuple[int, ...] = setting(
        (), "Ids of people or roles who may approve; empty is as in [tools].", minimum=1, is_id=True
    )
    timeout: float = setting(60.0, "Seconds for one call.", minimum=1, maximum=3600)
    ask_timeout: float = setting(
        900.0, "Seconds after which a question of the server expires.", minimum=10, maximum=86_400
    )
    result_length: int = setting(
        20_000, "Characters of a result that the model gets.", minimum=100, maximum=1_000_000
    )
    legacy: bool = setting(
        False, "Whether it is spoken to in the protocol from before 2026-07-28, in which older servers ask."
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if not _NAME.fullmatch(self.name):
            allowed = "1 to 20 small letters and digits, beginning with a letter"
            raise SettingsError("the table's name", allowed, self.name)
        if bool(self.command) == bool(self.url):
            raise SettingsError("command", "given, or url instead")
        parts = urlsplit(self.url)
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_local_host(parts.hostname or ""))
        if self.url and not (is_safe and parts.hostname and not parts.password):
            raise SettingsError("url", "an https address without a password, or http on this machine")
        for name in (*self.variables, self.key_name):
            check_variable("variables", name)
        check_approval("approve", self.approve)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Keys and passwords that it gets; they are redacted from answers and logs."""
        named = (
            value for name, value in self.environment.items() if any(one in name for one in _SECRET_WORDS)
        )
        return tuple(filter(None, (self.key, *named)))

    @property
    def headers(self) -> dict[str, str]:
        """Headers of each request to `url`."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


def open_server(config: McpConfig) -> McpServer:
    """Return the connection of a server; it connects when it is used.

    Raises:
        SettingsError: the extra `mcp` is not installed.

    """
    from streamcord.mcp import McpServer  # noqa: PLC0415  (an extra)

    return McpServer(
        config.name,
        config.command,
        url=config.url,
        environment=config.environment,
        headers=config.headers,
        timeout=config.timeout,
        ask_timeout=config.ask_timeout,
        legacy=config.legacy,
    )

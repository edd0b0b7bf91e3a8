"""`[discord]`: how the bot connects to Discord."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord import SettingsError
from streamcord.settings import check_fields, setting

from .table_reader import TOKEN_NAME, check_variable


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordConfig:
    """`[discord]`: how the bot connects."""

    token_name: str = setting(TOKEN_NAME, "The environment variable that holds the token.")
    server: str = setting("", "The address of a local Discord (`discord-twin`); empty is Discord itself.")
    rest: str = setting(
        "",
        "The address of a REST proxy that counts requests for all processes, such as http://127.0.0.1:8080; "
        "empty is none.",
    )
    shard_count: int = setting(
        0, "How many shards to run; 0 lets Discord decide.", minimum=0, maximum=100_000
    )
    test_guild: int = setting(
        0,
        "A server whose slash commands appear at once; 0 registers them everywhere, which may take an hour.",
        minimum=0,
        is_id=True,
    )
    user_install: bool = setting(
        False,
        "Whether people may install the bot for themselves and /ask it anywhere, also in groups.",
    )
    server_profile: bool = setting(
        False,
        "Whether the bot takes the name and picture of the persona that /persona switch chose for a server, in that "
        "server.",
    )
    message_content: bool = setting(
        True,
        "Whether the bot reads every message (a privileged intent); else only mentions, replies, direct "
        "messages and /ask.",
    )

    def __post_init__(self) -> None:
        check_fields(self)
        check_variable("token_name", self.token_name)
        # The port is only part of the example in the error.
        for name, port in (("server", 8765), ("rest", 8080)):
            address = getattr(self, name)
            if address and not address.startswith(("http://", "https://")):
                raise SettingsError(name, f"an address such as http://127.0.0.1:{port}", address)

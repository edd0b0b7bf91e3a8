"""`[log]`: log lines, metrics and health."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal

from streamcord import SettingsError
from streamcord.settings import check_fields, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """`[log]`: what an operator sees."""

    level: Literal["debug", "info", "warning", "error"] = setting(
        "info", "The lowest level that is written: debug, info, warning or error."
    )
    format: Literal["text", "json"] = setting(
        "text", "The form of each line: readable text, or a JSON object for log collectors."
    )
    text: bool = setting(False, "Whether the log may contain words of messages.")
    metrics_port: int = setting(
        0, "The port of http://127.0.0.1:PORT/metrics and /health; 0 is off.", minimum=0, maximum=65535
    )
    metrics_host: str = setting(
        "127.0.0.1",
        "Where that listens: 127.0.0.1 is for this machine only, 0.0.0.0 for all who reach it (containers).",
    )

    alarm_channel: int = setting(
        0,
        "The id of a channel that is told when a model fails, the budget or the disk runs out, or the database "
        "fails; 0 is none.",
        minimum=0,
        is_id=True,
    )

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            # A host name could resolve to an address that other machines reach.
            ip_address(self.metrics_host)
        except ValueError:
            allowed = "an IP address: 127.0.0.1, 0.0.0.0 or one of this machine"
            raise SettingsError("metrics_host", allowed, self.metrics_host) from None

"""`[context]`: what the model is shown of the conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from streamcord.settings import check_fields, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextConfig:
    """`[context]`: what the model is shown of the conversation."""

    source: Literal["history", "replies"] = setting(
        "history", "What the model reads: the last messages of the channel, or only the chain of replies."
    )
    messages: int = setting(
        40,
        "How many messages it reads; for the sake of caches half as many more before some go.",
        minimum=1,
        maximum=1000,
    )
    tokens: int = setting(
        4000,
        "How long they may be together, in tokens of about four characters.",
        minimum=64,
        maximum=10_000_000,
    )
    images: int = setting(4, "How many pictures the model is shown; 0 is none.", minimum=0, maximum=20)
    files: int = setting(
        6,
        "How many attached text files the model is shown, the newest first; 0 is none.",
        minimum=0,
        maximum=20,
    )
    file_length: int = setting(
        8000,
        "Characters of an attached text file that the model is shown; 0 is none.",
        minimum=0,
        maximum=1_000_000,
    )
    memory: int = setting(
        10, "How many of its last answers a persona remembers; 0 is none.", minimum=0, maximum=1000
    )

    def __post_init__(self) -> None:
        check_fields(self)

"""`[answer]`: which messages the bot answers, and what a stop does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from streamcord import StopMode
from streamcord.settings import check_fields, setting

FollowUp: TypeAlias = Literal["interrupt", "queue", "steer"]
"""What a message does whose author gets an answer at that moment."""

# The words of the file for the library's stop modes.
_STOP_MODES = {"next": StopMode.AFTER_THIS, "flush": StopMode.FLUSH, "now": StopMode.NOW}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerConfig:
    """`[answer]`: when the bot answers."""

    mentions: bool = setting(True, "Whether a mention is answered.")
    replies: bool = setting(True, "Whether a reply to one of its messages is answered.")
    direct_messages: bool = setting(True, "Whether direct messages are answered.")
    channels: tuple[int, ...] = setting(
        (), "Ids of channels in which every message is answered.", minimum=1, is_id=True
    )
    words: tuple[str, ...] = setting((), "Words that call the bot, besides the names of its personas.")
    debounce: float = setting(
        1.0,
        "Messages of one person within this many seconds are one question; the first words do not wait for them.",
        minimum=0,
        maximum=60,
    )
    max_bot_replies: int = setting(
        3, "Answers to other bots in a row; 0 never answers a bot.", minimum=0, maximum=1000
    )
    empty_retries: int = setting(2, "Times that an empty answer is asked for again.", minimum=0, maximum=10)
    threads: bool = setting(
        False, "Whether a mention in a text channel begins a thread, in which every message is answered."
    )
    greet: bool = setting(True, "Whether a persona says its greeting where it was never met before.")
    buttons: bool = setting(True, "Whether answers have buttons: stop, again and continue.")
    progress: Literal["line", "draft", "card", "off"] = setting(
        "line",
        "What people see until words come: a line about a tool that takes long, a draft with tools and the "
        "newest thoughts, the same in a frame, or nothing.",
    )

    personas: Literal["all", "one"] = setting(
        "all",
        "Who listens to names and trigger words: all personas of the server, or only the one chosen for the "
        "channel.",
    )
    max_personas: int = setting(
        3, "How many personas answer one message that names several.", minimum=1, maximum=20
    )
    follow_up_time: float = setting(
        0.0,
        "Seconds after an answer in which its person needs no mention; 0 is never.",
        minimum=0,
        maximum=3600,
    )
    follow_up_count: int = setting(
        5, "Messages in a row that need no mention; then one is needed again.", minimum=0, maximum=1000
    )
    follow_up: FollowUp = setting(
        "interrupt",
        "What a message does whose author gets an answer at that moment: stop the answer and be answered "
        "together with the question, wait for its turn, or reach the model between two rounds of tools.",
    )
    steered_by: Literal["asker", "everyone"] = setting(
        "asker",
        'Whose messages reach a running answer with follow_up = "steer": only those of the person who asked, or of '
        "everyone who calls the persona.",
    )
    acknowledge: bool = setting(
        False, "Whether a question gets the reaction 👀 until its answer begins, or ends without words."
    )
    stop: Literal["next", "flush", "now"] = setting(
        "next",
        "What a stop does with text that was already received: send one more message, send all of it, or "
        "nothing more.",
    )
    after_failure: Literal["continue", "restart", "stop"] = setting(
        "continue",
        "What happens when a model breaks off in the middle of an answer: it, or its fallbacks, continue the sentence, "
        "or begin once more in a new message, or the answer ends with a notice.",
    )
    drop_overlap: bool = setting(
        False,
        "Whether text is removed with which a provider repeats the end of what it sent before; only for "
        "providers that are known to do so, since intended repetition goes, too.",
    )

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def stop_mode(self) -> StopMode:
        """What may still be sent after a stop."""
        return _STOP_MODES[self.stop]

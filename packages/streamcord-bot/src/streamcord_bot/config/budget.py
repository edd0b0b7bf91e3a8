"""`[budget]` and `[models.NAME.price]` of the file: how much may be asked, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord.settings import check_fields, setting

# Keeps sums, which are counted in millionths, far below the 63 bits of a database integer.
MONEY_CAP = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetConfig:
    """`[budget]`: what people may ask of the models in a day and at once; 0 is no limit."""

    person_requests: int = setting(500, "Requests to a model that one person may cause in a day.", minimum=0)
    person_tokens: int = setting(
        2_000_000, "Tokens, in and out, that one person may use in a day.", minimum=0
    )
    person_money: float = setting(0.0, "What one person may cost in a day.", minimum=0, maximum=MONEY_CAP)
    server_requests: int = setting(5000, "Requests that one server may cause in a day.", minimum=0)
    server_tokens: int = setting(20_000_000, "Tokens that one server may use in a day.", minimum=0)
    server_money: float = setting(0.0, "What one server may cost in a day.", minimum=0, maximum=MONEY_CAP)
    all_requests: int = setting(50_000, "Requests of everybody together in a day.", minimum=0)
    all_tokens: int = setting(200_000_000, "Tokens of everybody together in a day.", minimum=0)
    all_money: float = setting(
        0.0,
        "What everybody together may cost in a day, by the prices of the models.",
        minimum=0,
        maximum=MONEY_CAP,
    )
    currency: str = setting("$", "The sign before sums of money; prices are in the same currency.")
    person_running: int = setting(10, "Answers to one person that are written at once.", minimum=0)
    server_running: int = setting(30, "Answers in one server that are written at once.", minimum=0)
    all_running: int = setting(300, "Answers that are written at once, everywhere.", minimum=0)
    person_waiting: int = setting(20, "Questions of one person that may wait, in all channels.", minimum=0)
    per_minute: int = setting(
        60, "Answers to one person that may begin within a minute; the next one waits.", minimum=0
    )
    cooldown: float = setting(
        0.0, "Seconds between the beginnings of two answers to one person.", minimum=0, maximum=3600
    )
    answer_requests: int = setting(
        25, "Times that a model may be asked for one answer, with all rounds of tools.", minimum=1
    )
    answer_tokens: int = setting(
        4000, "How long an answer is expected to be where a model has no `max_tokens`.", minimum=1
    )
    errors: int = setting(5, "Consecutive failures after which a model is paused; 0 is never.", minimum=0)
    error_pause: float = setting(
        15.0, "Seconds for which it is paused; then one request tries it.", minimum=1, maximum=86_400
    )
    footer: bool = setting(False, "Whether a small line below an answer shows its tokens and cost.")

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceConfig:
    """`[models.NAME.price]`: what a million tokens cost."""

    input: float = setting(0.0, "What a million tokens of the prompt cost.", minimum=0, maximum=MONEY_CAP)
    output: float = setting(
        0.0, "What a million tokens of the answer cost, thoughts included.", minimum=0, maximum=MONEY_CAP
    )
    cached: float = setting(
        0.0,
        "What a million tokens of the prompt cost that the provider had in its cache; 0 is as the others.",
        minimum=0,
        maximum=MONEY_CAP,
    )

    def __post_init__(self) -> None:
        check_fields(self)

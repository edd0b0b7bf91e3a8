"""Several keys of one model: where they come from, and what people and operators read when they fail."""

from __future__ import annotations

import logging

import pytest

from bot.commands.answers import answer_to
from bot.models import Model
from bot.stage import on_stage
from streamcord import RateLimited, RequestRejected
from streamcord.providers import RetryPolicy, rotate_keys, with_fallbacks
from streamcord_bot.config import ConfigError, open_providers, read_config

NAMES = ("main, key 1", "main, key 2")


def refused() -> RequestRejected:
    error = RequestRejected(
        "401: no such key", user_message="The provider refused the API key. Check the key."
    )
    error.refuses_key = True
    return error


@pytest.mark.parametrize(
    ("table", "environment", "keys"),
    [
        ({}, {"OPENAI_API_KEY": "kq-one"}, ("kq-one",)),
        (
            {},
            {"OPENAI_API_KEY": "kq-one, kq-two kq-three,,\nkq-four kq-two"},
            ("kq-one", "kq-two", "kq-three", "kq-four"),
        ),
        (
            {"key_names": ["KEY_B", "KEY_C"]},
            {"OPENAI_API_KEY": "kq-one", "KEY_B": "kq-two"},
            ("kq-one", "kq-two"),
        ),
        ({"key_name": "KEY_A", "key_names": ["KEY_B"]}, {"KEY_B": "kq-two"}, ("kq-two",)),
        ({}, {}, ("",)),
    ],
)
def test_keys_come_from_variables(
    table: dict[str, object], environment: dict[str, str], keys: tuple[str, ...]
) -> None:
    config = read_config({"models": {"main": {"model": "m", **table}}}, environment)
    assert config.models["main"].keys == keys
    assert set(keys) - {""} <= set(config.secrets)
    assert not any(key in repr(config) for key in keys if key)


@pytest.mark.parametrize("table", [{"more_keys": ["sk-1"]}, {"keys": ["sk-1"]}, {"key_names": ["sk-1"]}])
def test_keys_in_the_file_are_refused_and_not_quoted(table: dict[str, object]) -> None:
    with pytest.raises(ConfigError) as raised:
        read_config({"models": {"main": {"model": "m", **table}}}, {})
    assert "sk-1" not in str(raised.value)


async def test_providers_of_a_file_have_a_key_each() -> None:
    table = {"models": {"main": {"model": "m", "fallback": ["spare"]}, "spare": {"model": "n"}}}
    config = read_config(table, {"OPENAI_API_KEY": "one two"})
    async with open_providers(config) as providers:
        assert set(providers) == {"main", "spare"}


async def test_every_key_fails_and_one_notice_says_so(caplog: pytest.LogCaptureFixture) -> None:
    keys = [Model([refused()]), Model([RateLimited("slow", retry_after=9999.0)])]
    provider = with_fallbacks(rotate_keys(*keys, names=NAMES), names=("main",), retry=RetryPolicy())
    async with on_stage(provider) as stage:
        with caplog.at_level(logging.WARNING):
            stage.ask("hello?")
            await stage.texts(1)
            await stage.quiet()
        said = [one.content for one in stage.said()]
        why = await answer_to(stage.twin, stage.twin.slash("why"))

    assert len(said) == 1
    assert "sent no message (error" in why.content
    assert "**asked** `main, key 1: RequestRejected`, then `main, key 2: RateLimited`" in why.content
    assert [len(key.prompts) for key in keys] == [1, 1]
    lines = [one.getMessage() for one in caplog.records if one.getMessage().startswith("turn ")]
    assert len(lines) == 1
    assert lines[0].endswith("(asked main, key 1: RequestRejected, then main, key 2: RateLimited)")


async def test_why_tells_which_keys_and_models_were_asked() -> None:
    main = rotate_keys(Model([refused()]), Model([RateLimited("slow", retry_after=9999.0)]), names=NAMES)
    provider = with_fallbacks(main, Model(["Hello."]), names=("main", "spare"))
    async with on_stage(provider) as stage:
        stage.ask("hello?")
        await stage.texts(1)
        await stage.quiet()
        why = await answer_to(stage.twin, stage.twin.slash("why"))

    assert (
        "**asked** `main, key 1: RequestRejected`, then `main, key 2: RateLimited`, then `spare: answered`"
        in why.content
    )

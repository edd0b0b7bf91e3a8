from __future__ import annotations

import string

import pytest

from streamcord import ChannelGone, Overloaded, ProviderError, RateLimited, Rejected, Truncated
from streamcord._bot.answer.notices import LOCALES, NOTICES, name_of_error, word


def test_every_language_has_every_line_with_the_same_gaps() -> None:
    def gaps(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for locale in LOCALES:
        assert NOTICES[locale].keys() == NOTICES["en"].keys(), locale
        for key, text in NOTICES[locale].items():
            assert gaps(text) == gaps(NOTICES["en"][key]), (locale, key)


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en-US", "Stopped."),
        ("de", "Angehalten."),
        ("es-ES", "Detenido."),
        ("ja", "止めました。"),
        ("fi", "Stopped."),
    ],
)
def test_a_language_that_we_lack_is_english(locale: str, text: str) -> None:
    assert word(locale, "stopped") == text


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (RateLimited("x"), "rate_limited"),
        (Overloaded("x"), "overloaded"),
        (Truncated("x"), "truncated"),
        (Rejected("x"), "rejected"),
        (ProviderError("x"), "provider"),
        (TimeoutError(), "timeout"),
        (ChannelGone("x"), ""),
        (ValueError("x"), "failed"),
    ],
)
def test_every_error_has_its_notice(error: Exception, name: str) -> None:
    assert name_of_error(error) == name

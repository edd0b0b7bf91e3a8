"""What the bot says: complete in every language, with the same gaps, and every line is used."""

from __future__ import annotations

import string
from pathlib import Path

import pytest

import streamcord._bot
from streamcord import ChannelGone, Overloaded, ProviderError, RateLimited, Rejected, Truncated
from streamcord._bot.texts import LOCALES, find_notice, read_locale, translate


def gaps(line: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(line) if name}


@pytest.mark.parametrize("locale", LOCALES)
def test_every_language_has_every_line_with_the_same_gaps(locale: str) -> None:
    lines, english = read_locale(locale), read_locale("en")

    assert lines.keys() == english.keys()
    assert [key for key in lines if gaps(lines[key]) != gaps(english[key])] == []


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        ("en-US", "Stopped."),
        ("de", "Angehalten."),
        ("de-AT", "Angehalten."),
        ("es-ES", "Detenido."),
        ("ja", "止めました。"),
        ("fi", "Stopped."),
    ],
)
def test_a_language_that_we_lack_is_english(locale: str, line: str) -> None:
    assert translate(locale, "stopped") == line


def test_gaps_are_filled() -> None:
    assert translate("de", "refused", reason="x") == "x."


def test_every_line_is_said_somewhere() -> None:
    folder = Path(streamcord._bot.__path__[0])
    code = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    made = {
        f"{verb}_{where}"
        for verb in ("switched", "unswitched", "cleared", "in")
        for where in ("channel", "server")
    }

    assert [
        key
        for key in read_locale("en")
        if f'"{key}"' not in code and f"'{key}'" not in code and key not in made
    ] == []


@pytest.mark.parametrize("locale", LOCALES)
def test_no_line_is_longer_than_a_message(locale: str) -> None:
    assert max(map(len, read_locale(locale).values())) < 500


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
    assert find_notice(error) == name

"""Texts in the language of the reader: one TOML file per language in `locales/`, English where a line is missing.

Descriptions of slash commands are beside their code, in English; `locales/commands/` has their translations. So are the
errors about files that people send, which the process that reads these files raises; `locales/errors/` has theirs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from .config.table_reader import LANGUAGES

LOCALES = LANGUAGES
_NUMBER = re.compile(r"\d+")


@cache
def read_locale(language: str) -> Mapping[str, str]:
    """Return all texts of a language by key; empty if there is no such file."""
    return _read_file(f"{language}.toml") if language in LOCALES else {}


@cache
def read_command_texts(language: str) -> Mapping[str, str]:
    """Return the texts of the slash commands in a language by their English text; empty for English."""
    return _read_file(f"commands/{language}.toml") if language in LOCALES[1:] else {}


@cache
def read_error_texts(language: str) -> Mapping[str, str]:
    """Return the texts about wrong files in a language by their English text; empty for English."""
    return _read_file(f"errors/{language}.toml") if language in LOCALES[1:] else {}


def _read_file(name: str) -> Mapping[str, str]:
    return tomllib.loads((files(__package__) / "locales" / name).read_text(encoding="utf-8"))


def _language_of(locale: str) -> str:
    # Discord sends `pt-BR`, `zh-CN` and the like; there is one file per language.
    return locale.partition("-")[0].lower()


def translate(locale: str, key: str, /, **values: object) -> str:
    """Return the text of a key in a language, or in English, with its placeholders filled.

    Args:
        locale: a language tag such as `de` or `pt-BR`.
        key: the name of the text in `locales/`.
        **values: values of the placeholders.

    Example:
        translate("de", "footer", tokens="1,200")

    """
    return (read_locale(_language_of(locale)).get(key) or read_locale("en")[key]).format(**values)


def translate_command(locale: str, text: str) -> str:
    """Return the description of a command or of its parameter in a language, or the same text."""
    return read_command_texts(_language_of(locale)).get(text, text)


def translate_error(locale: str, text: str) -> str:
    """Return an error about a file or an address in a language, or the same text."""
    found = read_error_texts(_language_of(locale)).get(_NUMBER.sub("#", text))
    # The numbers of a text are in the same order in every language.
    numbers = iter(_NUMBER.findall(text))
    return re.sub("#", lambda _: next(numbers), found) if found else text

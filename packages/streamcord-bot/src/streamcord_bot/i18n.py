"""Texts in the language of the reader: one TOML file per language in `locales/`, English where a line is missing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

__all__ = ["LOCALES", "read_locale", "translate"]

LOCALES = ("en", "de", "es", "fr", "ja", "pt", "zh")


@cache
def read_locale(language: str) -> Mapping[str, str]:
    """Return all texts of a language by key; empty if there is no such file."""
    if language not in LOCALES:
        return {}
    return tomllib.loads((files(__package__) / "locales" / f"{language}.toml").read_text(encoding="utf-8"))


def translate(locale: str, key: str, /, **values: object) -> str:
    """Return the text of a key in a language, or in English, with its placeholders filled.

    Args:
        locale: a language tag such as `de` or `pt-BR`.
        key: the name of the text in `locales/`.
        **values: values of the placeholders.

    Example:
        translate("de", "footer", tokens="1,200")

    """
    # Discord sends `pt-BR`, `zh-CN` and the like; there is one file per language.
    language = locale.partition("-")[0].lower()
    return (read_locale(language).get(key) or read_locale("en")[key]).format(**values)

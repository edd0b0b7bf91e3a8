"""Resolve standard shortcodes such as `:smile:` to Unicode emoji.

The names are in `data/emoji_names.txt`, which is loaded on first use. Flags are not listed there: `flag_de` is
computed from the country code.
"""

from __future__ import annotations

from functools import cache

from ..word_lists import load_rows

_FLAG = "flag_"
_FIRST_REGIONAL_INDICATOR = 0x1F1E6


def find_standard(name: str) -> str | None:
    """Return the Unicode emoji with this shortcode, in any case, or None."""
    name = name.lower()
    # Flags are pairs of regional indicators: https://www.unicode.org/reports/tr51/#Flags
    country = name.removeprefix(_FLAG)
    if name != country and len(country) == 2 and country.isascii() and country.isalpha():
        return "".join(chr(_FIRST_REGIONAL_INDICATOR + ord(letter) - ord("a")) for letter in country)
    return _emoji_by_name().get(name)


@cache
def _emoji_by_name() -> dict[str, str]:
    return {name: emoji for emoji, *names in load_rows("emoji_names") for name in names}

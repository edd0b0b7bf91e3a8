from __future__ import annotations

import pytest

from streamcord import Settings
from streamcord._core.reading import Reading
from streamcord._core.rules.link_targets import show_targets


def shown(text: str) -> str:
    for start, end, after in reversed(show_targets(Reading(text, Settings()))):
        text = text[:start] + after + text[end:]
    return text


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("[https://bank.example](https://evil.example)", "https://evil.example"),
        ("[https://bank.example/login](https://evil.example/x?y#z)", "https://evil.example/x?y#z"),
        ("[bank.com](https://evil.example)", "https://evil.example"),
        ("[www.bank.example](http://evil.example)", "http://evil.example"),
        ("[**bank.com**](https://evil.example)", "https://evil.example"),
        ("[bank\u200b.com](https://evil.example)", "https://evil.example"),
        ("[ｂａｎｋ.com](https://evil.example)", "https://evil.example"),
        ("[аpple.com](https://apple.com)", "https://apple.com"),  # the first letter is Cyrillic
        ("[bank.com](https://bank.com@evil.example/)", "https://bank.com@evil.example/"),
        ("[see bank.com now](https://evil.example)", "https://evil.example"),
        ("[bank.com](<https://evil.example>)", "https://evil.example"),
        ("[evil.example.bank.com](https://evil.example)", "https://evil.example"),
    ],
)
def test_a_link_that_pretends_another_address_shows_the_real_one(text: str, real: str) -> None:
    assert shown(f"Go to {text}.") == f"Go to {real}."


@pytest.mark.parametrize(
    "text",
    [
        "[here](https://evil.example)",
        "[https://bank.example](https://bank.example)",
        "[bank.com](https://www.bank.com/login)",
        "[bank.com](https://login.bank.com)",
        "[WWW.Bank.COM](https://bank.com)",
        "[setup.py](https://git.example/a/setup.py)",
        "[Node.js](https://nodejs.org)",
        "[version 1.2](https://a.example)",
        "[e.g. this](https://a.example)",
        "[click](javascript:alert)",
        "`[bank.com](https://evil.example)`",
        "```\n[bank.com](https://evil.example)\n```",
        "no [link at all] (here)",
    ],
)
def test_an_honest_link_stays(text: str) -> None:
    assert shown(text) == text

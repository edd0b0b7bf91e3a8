from __future__ import annotations

import re

import pytest

from security.disguises import LINK
from streamcord import Message, Pipeline, Settings
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.link_safety import (
    MultilineLinks,
    make_links_safe,
    may_deceive,
    restrict_links,
    show_targets,
)


def shown(text: str) -> str:
    for start, end, after in reversed(show_targets(ParsedText(text, Settings()))):
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


BANKS = [
    "bank.com",
    "https://bank.com/login",
    "www.bank.co.uk",
    "claude.ai",
    "discord.gift",
    "bit.ly",
    "пример.рф",
    "t.me",
]
DRESSES = [
    "{}", "**{}**", "*{}*", "__{}__", "~~{}~~", "`{}`", "({})", "{}!", "🏦 {} 🏦", "“{}”",
    "log in at {} now", "{}\u200b",    "\u2060{}", "-{}-", "→{}←",
]  # fmt: skip
TARGETS = [
    "https://evil.example", "https://evil.example/{}", "https://evil.example/?q={}", "https://evil.example/#{}",
    "https://{}@evil.example/", "https://evil.example\\@{}", "https:evil.example", "HTTPS://evil.example",
    "https://evil。example", 'https://evil.example/x "{}"', "<https://evil.example/x>",
]  # fmt: skip


@pytest.mark.parametrize("bank", BANKS)
@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("target", TARGETS)
def test_no_dress_and_no_target_hides_that_it_pretends(bank: str, dress: str, target: str) -> None:
    text = f"Go to [{dress.format(bank)}]({target.format((bank.rpartition('/')[0] and 'bank.com') or bank)})."

    assert "](" not in shown(text)
    assert re.search(r"evil.example", shown(text), re.IGNORECASE)


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("bank.com", "https://bank.com"),
        ("bank.com", "https://www.bank.com/login?x=1#y"),
        ("bank.com", 'https://bank.com/x "the bank"'),
        ("https://bank.com/x", "https://bank.com/x"),
        ("the docs", "https://evil.example"),
        ("main.py", "https://git.example/a/main.py"),
        ("asyncio.run", "https://docs.example/asyncio.html#asyncio.run"),
        ("пример.рф", "https://xn--e1afmkfd.xn--p1ai/"),
    ],
)
def test_no_dress_harms_an_honest_link(words: str, target: str, dress: str) -> None:
    text = f"See [{dress.format(words)}]({target})."

    assert shown(text) == text


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


def test_a_link_in_a_links_text_goes_with_it() -> None:
    text = "[bank.com [bank.com](https://evil.example/1)](https://evil.example/2)"

    assert shown(text) == "https://evil.example/2"


def test_brackets_are_not_joined_over_an_escape_or_in_code() -> None:
    assert shown("\\[bank.com](https://evil.example)") == "\\[bank.com](https://evil.example)"
    assert shown("`[bank.com](https://evil.example)`") == "`[bank.com](https://evil.example)`"


@pytest.mark.parametrize(
    "text",
    [
        "[bank.com] now](https://evil.example)",
        "[a] bank.com](https://evil.example)",
        "[[a] bank.com] x](https://evil.example)",
        "[a](https://a.example) bank.com](https://evil.example)",
        "[a](bank.com](https://evil.example)",
        "[a] b] c [bank.com] x](https://evil.example)",
        "[see\n\\[ bank.com](https://evil.example)",
        "[bank.com\n\n](https://evil.example)",
        "[a]\nbank.com](https://evil.example)",
        "[`bank.com](https://evil.example)`",
        "[a `b] bank.com` c](https://evil.example)",
        "[a `b](https://a.example) [bank.com](https://evil.example)`",
        "[bank.com\n```\n](https://evil.example)\n```",
        "https://a.example```\n[bank.com](https://evil.example)```",
        "[bank.com](https\\://evil.example)",
        "[bank.com](discord://evil.example)",
    ],
)
@pytest.mark.parametrize("rules", [True, False])
def test_label_is_read_as_discord_does(text: str, rules: bool) -> None:
    """Its expression knows no code, escapes or paragraphs inside of a link, and takes the longest label."""
    pipeline = Pipeline(Settings(rules=rules))
    events = [*pipeline.feed(text), *pipeline.flush()]
    answer = "\n".join(event.content for event in events if isinstance(event, Message))
    for one in (answer, make_links_safe(text, Settings())):
        assert not any("bank.com" in label for label, *_ in LINK.findall(one)), one


def parted(text: str) -> str:
    links = MultilineLinks()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for start, end, after in links.part(line) if may_deceive(line) or links.opened else ():
            lines[number] = line[:start] + after + line[end:]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("[bank.com\n](https://evil.example)", "[bank.com\n] (https://evil.example)"),
        (
            "a [b] [see\nbank.com\nnow](https://evil.example) c",
            "a [b] [see\nbank.com\nnow] (https://evil.example) c",
        ),
        ("[bank.com\n\n[a] b](<https://evil.example>)", "[bank.com\n\n[a] b] (<https://evil.example>)"),
        ("[bank.com\n\\] x](https://evil.example)", "[bank.com\n\\] x] (https://evil.example)"),
    ],
)
def test_a_link_over_lines_that_pretends_is_parted_from_its_address(text: str, real: str) -> None:
    assert parted(text) == real


@pytest.mark.parametrize(
    "text",
    [
        "[bank.com\nlogin](https://bank.com/login)",
        "[the\ndocs](https://evil.example)",
        "[bank.com\n] and (https://evil.example)",
        "[bank.com\n](evil",
        "[bank.com\n] [a](https://evil.example)",
        "bank.com\n](https://evil.example)",
        "[a](https://evil.example)\nbank.com",
        "[bank.com\n" + "x " * 1100 + "\n](https://evil.example)",
    ],
)
def test_an_honest_link_over_lines_and_other_brackets_stay(text: str) -> None:
    assert parted(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[a](https://b.example) [bank.com](https://evil.example)",
            "[a](https://b.example) https://evil.example",
        ),
        ("[bank.com [a](https://evil.example)", "[bank.com [a](https://evil.example)"),
        ("[bank.com [a] b](https://evil.example)", "https://evil.example"),
        ("[bank.com [a](https://b.example) b](https://evil.example)", "https://evil.example"),
        (r"[bank.com \[a](https://evil.example)", "https://evil.example"),
        (r"[bank.com\](https://evil.example)", "https://evil.example"),
    ],
)
def test_brackets_escapes_and_neighbours_hide_no_link(text: str, expected: str) -> None:
    assert shown(text) == expected


def restricted(text: str, *hosts: str) -> str:
    for start, end, after in reversed(restrict_links(ParsedText(text, Settings()), hosts)):
        text = text[:start] + after + text[end:]
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://evil.example/x?y.", "See `https://evil.example/x?y`."),
        ("See <https://evil.example/x>!", "See `https://evil.example/x`!"),
        ("See [this](https://evil.example/x) now", "See this (`https://evil.example/x`) now"),
        ("![cat](https://evil.example/x.png)", "cat (`https://evil.example/x.png`)"),
        ("[a](<https://evil.example>)", "a (`https://evil.example`)"),
        ('[a](https://evil.example "good.example")', "a (`https://evil.example`)"),
        ("[https://good.example](https://evil.example)", "https://good.example (`https://evil.example`)"),
        ("[a](discord://x/y)", "a (`discord://x/y`)"),
        ("**https://evil.example**", "**`https://evil.example`**"),
        ("||https://evil.example||", "||`https://evil.example`||"),
        ("https://evil.example/`x`", "`https://evil.example/%60x%60`"),
        ("discord.gg/abc or DISCORD.com/invite/abc", "`discord.gg/abc` or `DISCORD.com/invite/abc`"),
        ("https://[::1]/x", "`https://[::1]/x`"),
        ("https://evil.example/a[b](https://evil.example)", "`https://evil.example/a`b (`https://evil.example`)"),
        ("https://good.example@evil.example/", "`https://good.example@evil.example/`"),
        ("https://good.example.evil.example", "`https://good.example.evil.example`"),
        ("https://notgood.example", "`https://notgood.example`"),
        ("https:\\\\evil.example", "`https:\\\\evil.example`"),
        ("HTTPS://EVIL.EXAMPLE", "`HTTPS://EVIL.EXAMPLE`"),
        ("[a [b](https://evil.example/1) c](https://evil.example/2)",
         "a b (`https://evil.example/1`) c (`https://evil.example/2`)"),
    ],
)  # fmt: skip
def test_a_link_to_an_unknown_host_is_only_read(text: str, expected: str) -> None:
    assert restricted(text, "good.example") == expected


@pytest.mark.parametrize(
    "text",
    [
        "https://good.example and https://www.good.example/x, [a](https://GOOD.example.)",
        "<https://docs.good.example/x>",
        "https://xn--bcher-kva.example/",
        "`https://evil.example`",
        "```\nhttps://evil.example [a](https://evil.example)\n```",
        "evil.example is no link, nor is a@discord.gg/x",
        "[a](b) [c] (d) https://",
    ],
)
def test_known_hosts_code_and_plain_words_stay(text: str) -> None:
    assert restricted(text, "good.example", "BÜCHER.example") == text


def test_without_hosts_no_link_is_left() -> None:
    assert restricted("https://good.example") == "`https://good.example`"


def test_text_outside_an_answer_follows_the_link_policy() -> None:
    text = "see [https://bank.com](https://evil.example/x) and [docs](https://docs.example/a)"
    assert "](https://evil.example" not in make_links_safe(text, Settings())
    assert "](" not in make_links_safe(text, Settings(links="none"))
    known = make_links_safe(text, Settings(links="known", link_hosts=("docs.example",)))
    assert "[docs](https://docs.example/a)" in known
    assert "](https://evil.example" not in known


@pytest.mark.parametrize("label", ["bank.com\\x", "ⓑank.ⓒom™", "ⓑank.com²", "почта.\\рф"])
def test_signs_and_backslashes_in_a_label_hide_no_address(label: str) -> None:
    assert "](" not in make_links_safe(f"[{label}](https://evil.example)", Settings())


def test_a_call_in_a_label_is_no_address() -> None:
    assert make_links_safe("[asyncio.run()](https://docs.example/a)", Settings()).startswith(
        "[asyncio.run()]("
    )


def test_a_key_that_a_rule_joins_in_a_table_is_not_drawn() -> None:
    pipeline = Pipeline(Settings())
    events = [*pipeline.feed("| key |\n|---|\n| AKIAXONURZOE4LQ</s>7VPTW |\n"), *pipeline.flush()]
    assert "AKIAXONURZOE4LQ7VPTW" not in repr([getattr(event, "files", ()) for event in events])


def test_a_link_that_ends_nowhere_is_parted_or_shown_as_code() -> None:
    assert shown("[a] x](https://evil.example") == "[a] x] (https://evil.example"
    assert restricted("[x](https://a.example y", "ok.example") == "[x](`https://a.example` y"

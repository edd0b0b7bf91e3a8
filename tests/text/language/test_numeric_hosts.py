"""Addresses of numbers are read as a browser reads them, and other numbers are none."""

from __future__ import annotations

from random import Random

import ada_url
import pytest

from streamcord import Settings
from streamcord._text.language.numeric_hosts import find_numeric_hosts, plain_ipv4
from streamcord.utils import make_links_safe


def number(random: Random, value: int) -> str:
    """Write a number as a browser may read it; some are too large, which makes them no address."""
    return random.choice(("{}", "0x{:x}", "0{:o}", "0x00{:X}", "00{:o}")).format(value)


def test_every_form_of_ipv4_is_read_as_a_browser_reads_it() -> None:
    random = Random(5)
    for _ in range(3_000):
        count = random.randint(1, 4)
        top = 256 ** (5 - count)
        values = [random.randint(0, 255) for _ in range(count - 1)] + [random.randint(0, top + top // 4)]
        text = ".".join(number(random, value) for value in values)
        try:
            expected = ada_url.URL(f"https://{text}/").hostname
        except ValueError:
            expected = ""
        assert plain_ipv4(text.split(".")) == expected, text


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("[::1]", "[::1]"), ("see ::1 now", "[::1]"), ("[2001:db8:0::1]:8080", "[2001:db8::1]"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"),
        ("017700000001", "127.0.0.1"), ("1.1:80", "1.0.0.1"), ("1.1/login", "1.0.0.1"), ("2130706433:80", "127.0.0.1"),
        ("去1.2.3.4看", "1.2.3.4"), ("“2130706433”", "127.0.0.1"), ("visit 0300.0250.1 now", "192.168.0.1"),
    ],
)  # fmt: skip
def test_address_is_found(text: str, host: str) -> None:
    assert list(find_numeric_hosts(text)) == [host]


@pytest.mark.parametrize(
    "text",
    [
        "1", "2024", "3.14", "1.1", "1.2.3", "12:30", "4.5:1", "9.5/10", "24/7", "10.1145/3292500", "01.02.2024",
        "$3.50",
        "#12345678", "+4912345678", "issue 12345678", "v1.1", "abc::def", "::", "12:30:45", "by/4.0/x",
        "50.5%", "a.1.2", "issue 2130706433", "2130706433 people",
        "$9.99/month", "ios 17.2/ipados 17.2", "127.5 million",
    ],
)  # fmt: skip
def test_number_that_is_no_address_is_none(text: str) -> None:
    assert list(find_numeric_hosts(text)) == []


@pytest.mark.parametrize(
    "label",
    [
        "[::1]",
        "2130**706433**",
        "0x7f.1:80",
        "localhost:3000",
        "去localhost/admin",
        "app.localhost",
        "％[::1]",
    ],
)
def test_label_that_is_such_an_address_stays_beside_the_real_one(label: str) -> None:
    shown = make_links_safe(f"[{label}](https://evil.example)", Settings())
    assert "](" not in shown
    assert "https://evil.example" in shown


def test_number_is_kept_when_its_address_is_shown() -> None:
    shown = make_links_safe("the id [31452104](https://papers.example/x)", Settings())
    assert shown == "the id [31452104] (https://papers.example/x)"

from __future__ import annotations

import ada_url
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from streamcord._text.language.url_hosts import (
    Address,
    is_same_site,
    looks_like_host,
    may_name_host,
    names_other_host,
    read_address,
    top_level_domains,
)

HOSTS = {
    "https://evil.example": "evil.example",
    "HTTPS://EVIL.example/x?y#z": "evil.example",
    "https:evil.example": "evil.example",
    "https:/evil.example": "evil.example",
    "https:///evil.example": "evil.example",
    "https:\\\\evil.example\\x": "evil.example",
    "https://bank.com@evil.example/": "evil.example",
    "https://bank.com:443@evil.example:8080/": "evil.example",
    "https://a@b@evil.example/": "evil.example",
    "https://bank.com\\@evil.example": "bank.com",
    "https://evil.example?@bank.com": "evil.example",
    "https://evil.example#@bank.com": "evil.example",
    "https://ev\til.exa\nmple/": "evil.example",
    "  https://evil.example  ": "evil.example",
    "https://%65vil.example/": "evil.example",
    "https://evil。example/": "evil.example",
    "https://ｅｖｉｌ．example/": "evil.example",
    "https://ev\u00adil.example/": "evil.example",
    "https://evil.example./": "evil.example",
    "https://xn--bcher-kva.example/": "bücher.example",
    "https://BÜCHER.example/": "bücher.example",
    "https://127.0.0.1/": "127.0.0.1",
    "https://0x7f.1/": "127.0.0.1",
    "https://2130706433/": "127.0.0.1",
    "https://0177.0.0.01/": "127.0.0.1",
    "https://0x7f.0x0.0x0.0x1/": "127.0.0.1",
}


@pytest.mark.parametrize(("url", "host"), HOSTS.items())
def test_the_host_is_the_one_to_which_a_browser_goes(url: str, host: str) -> None:
    address = read_address(url)

    assert address is not None
    assert address.host == host


@pytest.mark.parametrize("url", HOSTS)
def test_a_browsers_own_parser_agrees(url: str) -> None:
    address = read_address(url)

    assert address is not None
    assert ada_url.URL(f"https://{address.host}").hostname == ada_url.URL(url).hostname.removesuffix(".")


@given(st.text(st.sampled_from("abc.@/\\:?#%20x7f。．-1\t "), max_size=24))
def test_whatever_a_browsers_parser_accepts_has_the_host_that_it_finds(rest: str) -> None:
    url = f"https://{rest}"
    try:
        hostname = ada_url.URL(url).hostname
    except ValueError:
        return
    assume(".." not in f".{hostname}")  # no name has an empty part
    address = read_address(url)

    assert address is not None
    assert ada_url.URL(f"https://{address.host}").hostname == hostname.removesuffix(".")


@pytest.mark.parametrize(
    "url", ["mailto:a@bank.com", "javascript:alert(1)", "bank.com", "ftp://bank.com", ""]
)
def test_only_pages_of_the_web_have_one(url: str) -> None:
    assert read_address(url) is None


@pytest.mark.parametrize(
    "host", ["256.1.1.1.1", "1.2.3.256", "0x7f.zz", "08", "xn--\u00fc", "xn--a-\u00fc.de"]
)
def test_what_is_no_number_and_no_code_stays_a_name(host: str) -> None:
    address = read_address(f"https://{host}/")

    assert address is not None
    assert address.host.count(".") == host.count(".")


@pytest.mark.parametrize(
    ("url", "tail"),
    [
        ("https://a.example", ""),
        ("https://a.example/x/Setup.py", "setup.py"),
        ("https://a.example/x#asyncio.run", "asyncio.run"),
        ("https://a.example/%78.py", "x.py"),
        ("https://a.example/%ff", "\ufffd"),
    ],
)
def test_its_tail_is_the_last_part_of_its_path_or_its_fragment(url: str, tail: str) -> None:
    address = read_address(url)

    assert address is not None
    assert address.tail == tail


@pytest.mark.parametrize(
    ("name", "host", "same"),
    [
        ("bank.com", "bank.com", True),
        ("bank.com", "www.bank.com", True),
        ("www.bank.com", "login.bank.com", True),
        ("docs.bank.com", "bank.com", True),
        ("bank.com", "notbank.com", False),
        ("bank.com", "bank.com.evil.example", False),
    ],
)
def test_hosts_of_one_site(name: str, host: str, same: bool) -> None:
    assert is_same_site(name, host) is same


EVIL = Address("evil.example", "")


@pytest.mark.parametrize(
    "shown",
    [
        "bank.com", "BANK.com", "see bank.com now", "(bank.com)", "bank.com!",
        "🏦bank.com🏦", "bank.com/login",
        "bank。com", "ｂａｎｋ．com", "b\u200bank.com", "**bank**.com", "bank\\.com",
        "||bank.com||", "<bank.com>",
        "claude.ai", "discord.gift", "bit.ly", "youtu.be", "пример.рф", "中国.中国", "詳細はbank.comへ",
        "https://intranet", "ftp://bank.corp", "www.bank.corp", "setup.py/login", "a.md:443",
        "user@bank.com", "192.168.0.1", "xn--80ak6aa92e.com", "аpple.com", "evil.example and bank.com",
        "evil.example.bank.com", "bank.example", "bank.com@evil.example",
        "bank.cоm", "bank.соm", "bank.сом", "bank.ϲom", "bankꓸcom", "bank\u0701com", "bank\u0660com",
        "\u202emoc.knab", "bank.com \u202e",
    ],
)  # fmt: skip
def test_a_text_names_another_host(shown: str) -> None:
    assert names_other_host(shown, EVIL)


@pytest.mark.parametrize(
    "shown",
    [
        "here", "evil.example", "EVIL.EXAMPLE", "www.evil.example", "https://evil.example/x",
        "evil.example:8080",
        "login.evil.example", "setup.py", "README.md", "Node.js", "os.path", "version 1.2.3", "156.0.8078.73",
        "e.g. this", "ASP.NET", "U.S. invariant", "a.m. to p.m.", "...", "-.-", "and/or", "3.14",
        "詳細はevil.example", "*really*", "", "так.То есть", "один.Он", "٣٠٢",
    ],
)  # fmt: skip
def test_a_text_names_none_or_the_same(shown: str) -> None:
    assert not names_other_host(shown, EVIL)


def test_words_of_code_are_no_host_where_the_target_ends_with_them() -> None:
    assert names_other_host("asyncio.run", EVIL)
    assert not names_other_host("asyncio.run", EVIL._replace(tail="asyncio.run"))
    assert names_other_host("bank.com", EVIL._replace(tail="bank.com"))


def test_a_name_of_another_script_is_the_same_in_letters_and_in_code() -> None:
    address = read_address("https://xn--bcher-kva.example/")

    assert address is not None
    assert not names_other_host("bücher.example", address)
    assert not names_other_host("XN--BCHER-KVA.example", address)
    assert not names_other_host("東京tower.jp", Address("東京tower.jp", ""))


@pytest.mark.parametrize("shown", ["bank.com", "http:/bank", "bank\uff0ecom", "bank…com", "b\u00e4nk"])
def test_a_dot_a_colon_or_a_foreign_letter_may_name_a_host(shown: str) -> None:
    assert may_name_host(shown)


@pytest.mark.parametrize("shown", ["", "the map", "**read** the `docs` (2)"])
def test_plain_words_name_no_host(shown: str) -> None:
    assert not may_name_host(shown)
    assert not names_other_host(shown, Address("bank.example", ""))


def test_it_has_the_endings_that_people_know_and_those_of_other_scripts() -> None:
    assert {"com", "org", "de", "uk", "io", "ai", "gift", "ly", "be", "рф", "中国"} <= top_level_domains()


def test_words_and_files_that_cannot_be_reached_are_not_in_it() -> None:
    assert top_level_domains() & {"js", "json", "path", "txt", "exe", "html", "g", ""} == set()


def test_every_ending_is_written_as_it_is_compared() -> None:
    assert [name for name in top_level_domains() if name != name.casefold() or "." in name] == []


def test_a_top_level_domain_with_a_letter_of_another_script_is_read_as_latin() -> None:
    assert names_other_host("bank.c\u043em", EVIL)


@pytest.mark.parametrize("label", ["https://intranet", "https://例え.jp", "https://例え"])
def test_a_label_with_a_scheme_is_an_address(label: str) -> None:
    assert names_other_host(label, EVIL)


def test_a_name_after_a_scheme_needs_no_dot() -> None:
    assert looks_like_host("intranet", "https://intranet", 8, "")
    assert not looks_like_host("intranet", "the intranet", 4, "")


@pytest.mark.parametrize("shown", ["discord%2Ecom", "disc*%6F*rd.com"])
def test_an_escaped_dot_or_letter_hides_no_host(shown: str) -> None:
    address = read_address("https://evil.example/x")
    assert address is not None
    assert names_other_host(shown, address)
    assert not names_other_host("100 % sure", address)

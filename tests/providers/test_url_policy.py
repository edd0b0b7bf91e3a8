from __future__ import annotations

import traceback

import pytest

from streamcord._exceptions import ProviderError, SettingsError
from streamcord._providers.error_mapping import redact
from streamcord._providers.http import join_url
from streamcord._providers.url_policy import check_base_url, check_header_value, check_proxy, secrets_in


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.org/v1",
        "http://127.0.0.1:8080/v1",
        "http://127.9.9.9",
        "http://[::1]:1",
        "http://localhost:11434",
        "http://model.localhost",
    ],
)
def test_a_secret_may_travel_encrypted_or_on_this_machine(url: str) -> None:
    assert check_base_url(url).geturl() == url


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.org/v1",
        "http://192.168.0.2:11434/v1",
        "http://localhost.example.org",
        "http://127.0.0.1.example.org",
        "http://0.0.0.0",
    ],
)
def test_a_secret_does_not_travel_in_the_clear_unless_allowed(url: str) -> None:
    with pytest.raises(SettingsError, match="https, or on this machine"):
        check_base_url(url)
    assert check_base_url(url, allow_http=True).geturl() == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://a",
        "https://",
        "//a",
        "https://a:x",
        "https://a b",
        "https://a\n",
        "https://[::",
        "file:///a",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="address"):
        check_base_url(url)
    with pytest.raises(SettingsError, match="proxy"):
        check_proxy(url)


@pytest.mark.parametrize(
    ("url", "said"), [("sk-secret", "must be an address"), ("", "must be set: an address")]
)
def test_error_about_an_address_quotes_nothing(url: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said) as raised:
        check_base_url(url)

    assert str(raised.value).endswith("https://host/v1")


def test_a_password_in_the_base_url_is_refused_and_not_quoted() -> None:
    with pytest.raises(SettingsError) as caught:
        check_base_url("https://me:hunter2222@example.org")
    assert "hunter2222" not in str(caught.value)


@pytest.mark.parametrize("value", ["sk 1", "sk-1\n", "\ufeffsk-1", "sk-\u00e9", "sk\t"])
def test_l_03_a_key_with_white_space_is_named_and_not_quoted(value: str) -> None:
    with pytest.raises(SettingsError, match="key must be visible ASCII") as caught:
        check_header_value("key", value)
    assert value not in str(caught.value)


def test_other_headers_may_have_spaces() -> None:
    check_header_value("X-Title", "Luna the bot", spaces=True)
    with pytest.raises(SettingsError):
        check_header_value("X-Title", "Luna\r\nX: y", spaces=True)


@pytest.mark.parametrize(
    ("base", "path", "address"),
    [
        ("https://a.b/v1", "chat", "https://a.b/v1/chat"),
        ("https://a.b/v1/", "chat", "https://a.b/v1/chat"),
        ("https://a.b", "chat?alt=sse", "https://a.b/chat?alt=sse"),
        ("https://a.b/x?v=1", "chat?alt=sse", "https://a.b/x/chat?v=1&alt=sse"),
        ("http://[::1]:8/v1", "a%20b", "http://[::1]:8/v1/a%20b"),
    ],
)
def test_paths_are_joined_behind_the_base(base: str, path: str, address: str) -> None:
    assert join_url(check_base_url(base), path) == address


def test_passwords_and_queries_are_secrets() -> None:
    assert set(secrets_in(check_proxy("http://me:p%40ss@host:1/?token=abcd"))) == {"p%40ss", "p@ss", "abcd"}


def test_an_error_is_searched_for_every_secret() -> None:
    try:
        raise ProviderError("key=sk-long-1 and sk-long", user_message="sk-long?")  # noqa: TRY301
    except ProviderError as error:
        clean = redact(error, ["sk-long", "sk-long-1", "", "a"])

    assert str(clean) == "key=*** and ***"
    assert clean.user_message == "***?"
    assert traceback.extract_tb(clean.__traceback__) == []

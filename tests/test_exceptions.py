"""The exceptions: one tree, and what a caller may ask each of them."""

from __future__ import annotations

import re

import pytest

from streamcord import _exceptions as errors
from streamcord._exceptions import (
    ChannelGone,
    ContentBlocked,
    DeliveryError,
    DeliveryUnavailable,
    DeliveryUncertain,
    MessageRefused,
    Moderated,
    NotAllowed,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
    SettingsError,
    StoreError,
    StreamcordError,
    ToolError,
    Truncated,
    WebhookUnavailable,
)

TREE: dict[type[Exception], type[Exception]] = {
    ProviderError: StreamcordError,
    RateLimited: ProviderError,
    Overloaded: ProviderError,
    ContentBlocked: ProviderError,
    Truncated: ProviderError,
    RequestRejected: ProviderError,
    DeliveryError: StreamcordError,
    ChannelGone: DeliveryError,
    NotAllowed: DeliveryError,
    MessageRefused: DeliveryError,
    Moderated: DeliveryError,
    DeliveryUnavailable: DeliveryError,
    DeliveryUncertain: DeliveryError,
    WebhookUnavailable: DeliveryError,
    ToolError: StreamcordError,
    StoreError: StreamcordError,
    SettingsError: StreamcordError,
}


@pytest.mark.parametrize(("child", "parent"), TREE.items())
def test_every_error_has_its_place_in_the_tree(child: type[Exception], parent: type[Exception]) -> None:
    assert child.__bases__[0] is parent


def test_the_tree_drawn_in_the_docstring_is_the_tree() -> None:
    drawn = re.findall(r"^\W*([A-Z]\w+)(?=  |$)", errors.__doc__ or "", re.MULTILINE)
    assert sorted(drawn) == errors.__all__ == sorted(kind.__name__ for kind in [*TREE, StreamcordError])


@pytest.mark.parametrize(
    ("kind", "retryable"),
    [
        (ProviderError, False),
        (RateLimited, True),
        (Overloaded, True),
        (Truncated, True),
        (ContentBlocked, False),
        (RequestRejected, False),
    ],
)
def test_a_provider_error_says_whether_to_try_again(kind: type[ProviderError], retryable: bool) -> None:
    assert kind("no").retryable is retryable


def test_a_single_error_may_differ_from_its_kind() -> None:
    assert Overloaded("no", retryable=False).retryable is False
    assert Overloaded("no").retryable is True


def test_people_see_the_message_unless_there_is_one_for_them() -> None:
    assert ProviderError("HTTP 500").user_message == "HTTP 500"
    error = ProviderError("HTTP 500", user_message="Try later.")
    assert (str(error), error.user_message) == ("HTTP 500", "Try later.")


@pytest.mark.parametrize("kind", [RateLimited, Overloaded, ProviderError])
def test_a_provider_says_how_long_to_wait_if_it_knows(kind: type[ProviderError]) -> None:
    assert kind("slow down").retry_after is None
    error = kind("slow down", retry_after=2.5, user_message="Busy.")
    assert (error.retry_after, error.user_message) == (2.5, "Busy.")


def test_a_settings_error_names_the_field_and_what_it_takes() -> None:
    error = SettingsError("degree", "0 to 3", 7)
    assert isinstance(error, ValueError)
    assert (error.field, error.allowed, str(error)) == ("degree", "0 to 3", "degree must be 0 to 3, not 7")

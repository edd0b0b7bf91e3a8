from __future__ import annotations

import pytest

from streamcord.utils import is_local_host


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.2", "::1", "[::1]", "localhost", "LOCALHOST", "model.localhost"]
)
def test_hosts_of_this_machine(host: str) -> None:
    assert is_local_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "10.0.0.1",
        "0.0.0.0",
        "::",
        "example.org",
        "localhost.example.org",
        "notlocalhost",
        "127.0.0.1.org",
    ],
)
def test_other_hosts(host: str) -> None:
    assert not is_local_host(host)

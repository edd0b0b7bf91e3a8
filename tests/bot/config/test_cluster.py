"""`[cluster]`."""

from __future__ import annotations

import pytest

from bot.stage import make_config
from streamcord import SettingsError

URL = "postgresql://bot@db/streamcord"


def test_the_address_of_the_store_may_be_the_clusters() -> None:
    config = make_config(store=URL, cluster={"url": "store"})

    assert config.cluster.address(config.store) == URL
    assert make_config(cluster={"url": "postgresql://x/y"}).cluster.address(URL) == "postgresql://x/y"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"url": "redis://x"}, "begins with postgresql://"),
        ({"url": "postgresql://a:secret@x/y"}, "without a password"),
        ({"lease": 0.1}, "lease"),
        ({"urls": "x"}, "urls"),
    ],
)
def test_what_makes_no_sense_is_refused_and_no_password_is_quoted(
    values: dict[str, object], words: str
) -> None:
    with pytest.raises(SettingsError, match=words) as raised:
        make_config(cluster=values)
    assert "secret" not in str(raised.value)

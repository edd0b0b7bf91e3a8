"""The triggers of a cluster's database fit what its cache keeps."""

from __future__ import annotations

import re
from importlib.resources import files

from streamcord_bot.coordination.cluster import read_cache


def test_every_cached_table_has_a_trigger_that_clears_the_cache() -> None:
    sql = files(read_cache.__package__ or "").joinpath("tables.sql").read_text("utf-8")
    listed = re.search(r"IN ARRAY ARRAY\[(.*?)\]", sql)

    assert listed is not None
    assert tuple(re.findall(r"'(\w+)'", listed[1])) == read_cache._TABLES
    assert f"pg_notify('{read_cache.CHANGES_TOPIC}'" in sql

from __future__ import annotations

from streamcord._core.words.top_level_domains import TOP_LEVEL_DOMAINS


def test_it_has_the_endings_that_people_know_and_those_of_other_scripts() -> None:
    assert {"com", "org", "de", "uk", "io", "ai", "gift", "ly", "be", "рф", "中国"} <= TOP_LEVEL_DOMAINS


def test_words_and_files_that_cannot_be_reached_are_not_in_it() -> None:
    assert TOP_LEVEL_DOMAINS & {"js", "json", "path", "txt", "exe", "html", "g", ""} == set()


def test_every_ending_is_written_as_it_is_compared() -> None:
    assert [name for name in TOP_LEVEL_DOMAINS if name != name.casefold() or "." in name] == []

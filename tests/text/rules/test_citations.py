"""The sources of one answer: each has one number, and the first title that is known."""

from __future__ import annotations

from streamcord import Citation, Settings
from streamcord._text.rules.citations import CitationList


def test_a_source_named_again_gets_its_title_and_keeps_its_number() -> None:
    sources = CitationList(Settings(citations="footnotes"))
    mark = sources.add(Citation("https://a.example", is_placed=True))

    assert mark == "[¹](<https://a.example>)"
    assert sources.add(Citation("https://a.example", "A page", is_placed=True)) == mark
    assert [source.title for source in sources.citations] == ["A page"]

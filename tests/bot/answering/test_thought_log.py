from __future__ import annotations

from streamcord import Ending, Settings, TurnResult
from streamcord.records import ThoughtLog
from streamcord_bot.answering.thought_log import MAX_EMBED_CHARS, MAX_EMBEDS, thought_embeds


def result(summary: str = "", raw: str = "", duration: float = 0.0, served_by: str = "") -> TurnResult:
    thoughts = ThoughtLog(summary, raw, duration, served_by or None)
    return TurnResult(Ending.COMPLETED, thoughts=thoughts, first_url="https://discord.com/channels/1/2/3")


def test_no_thoughts_no_embed() -> None:
    assert thought_embeds(result(), "Luna", "en") == []


def test_summary_and_raw_thoughts_with_a_link_and_how_long() -> None:
    (embed,) = thought_embeds(
        result(summary="short", raw="long", duration=2.5, served_by="tiny"), "Luna", "de"
    )

    assert embed.title == "Gedanken: Luna"
    assert embed.description == "short\n\nlong"
    assert embed.url == "https://discord.com/channels/1/2/3"
    assert embed.footer.text == "2.5 s nachgedacht · tiny"


def test_long_thoughts_are_cut_at_lines_into_parts_that_discord_takes() -> None:
    lines = "\n".join("word " * 100 for _ in range(30))
    embeds = thought_embeds(result(raw=lines), "Luna", "en")

    assert len(embeds) == 4
    assert all(len(embed.description or "") <= MAX_EMBED_CHARS for embed in embeds)
    assert "".join(embed.description or "" for embed in embeds).split() == lines.split()


def test_thoughts_are_cut_between_words_after_an_early_newline() -> None:
    text = "A title\n" + "deep " * 1500
    parts = [embed.description or "" for embed in thought_embeds(result(text), "Luna", "en")]

    assert all(len(part) <= 4096 for part in parts)
    assert " ".join(parts).split() == text.split()


def test_endless_thoughts_end() -> None:
    assert len(thought_embeds(result(raw="x" * 1_000_000), "Luna", "en")) == MAX_EMBEDS


def test_links_in_thoughts_follow_the_settings() -> None:
    text = "See [https://bank.com](https://evil.example/x) and [docs](https://docs.example)."
    (shown,) = thought_embeds(result(text), "Luna", "en")
    (without,) = thought_embeds(result(text), "Luna", "en", Settings(links="none"))

    assert "[https://bank.com](" not in (shown.description or "")
    assert "[docs](https://docs.example)" in (shown.description or "")
    assert "](" not in (without.description or "")

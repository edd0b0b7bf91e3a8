"""A link that pretends another address does so at no moment, however its message grows."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from bot.models import Model
from bot.stage import make_config, on_stage
from streamcord import Degree, Message, Pipeline, Settings
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.link_safety import restrict_links, show_targets
from text.rules.test_link_safety import BANKS, DRESSES, TARGETS

ALL = list(product(BANKS, DRESSES, TARGETS))
TRICKS = Random(12).sample(ALL, 200)
HONEST = [
    "[the manual](https://docs.example/manual)",
    "[docs.example](https://docs.example/a_(b))",
    "[**read** me](<https://docs.example/x>)",
    "https://docs.example/a?b=c#d",
]


def frames(text: str, settings: Settings, size: int) -> tuple[list[str], list[str]]:
    """Everything that people would see of a text while it grows, and what is there at last."""
    pipeline, seen, last = Pipeline(settings, Random(1)), list[str](), list[str]()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    for piece in [*pieces, None]:
        events = pipeline.flush() if piece is None else pipeline.feed(piece)
        last += [event.content for event in events if isinstance(event, Message)]
        draft = pipeline.draft()
        if draft is not None:
            seen.append(draft.message.content)
    return [*seen, *last], last


def page(link: str) -> str:
    before = "Here are some words, so that the message is seen before the link comes. "
    return f"{before * 2}Go to {link} and stay there. {before}\n\nThat was it.\n"


@pytest.mark.parametrize(("size", "count"), [(1, 200), (23, 40)])
def test_none_of_200_tricks_is_seen_at_any_moment(size: int, count: int) -> None:
    settings = Settings(delivery="live", degree=Degree.LIGHT)
    for bank, dress, target in TRICKS[:count]:
        link = f"[{dress.format(bank)}]({target.format(bank)})"
        seen, _ = frames(page(link), settings, size)
        assert len(seen) >= 2
        for frame in seen:
            assert show_targets(ParsedText(frame, settings)) == [], (link, frame)


@pytest.mark.parametrize(("links", "hosts"), [("none", ()), ("known", ("docs.example",))])
def test_a_policy_holds_while_a_message_grows(links: str, hosts: tuple[str, ...]) -> None:
    settings = Settings(delivery="live", degree=Degree.LIGHT, links=links, link_hosts=hosts)  # type: ignore[arg-type]
    for bank, dress, target in TRICKS[:60]:
        link = f"[{dress.format(bank)}]({target.format(bank)}) or https://evil.example/{bank}"
        for frame in frames(page(link), settings, 7)[0]:
            assert restrict_links(ParsedText(frame, settings), hosts) == [], (link, frame)


@pytest.mark.parametrize("link", HONEST)
def test_an_honest_link_is_whole_when_its_message_is(link: str) -> None:
    _, last = frames(page(link), Settings(delivery="live", degree=Degree.LIGHT), 5)

    assert any(f"Go to {link} and stay there." in message for message in last)


async def test_no_request_of_a_message_that_grows_pretends_anything() -> None:
    settings = {"delivery": "live", "typing": "off", "degree": 1}
    text = "".join(page(f"[{dress.format('bank.com')}](https://evil.example/x)") for dress in DRESSES)
    model = Model([text[at : at + 50] for at in range(0, len(text), 50)])
    async with on_stage(model, config=make_config(settings=settings)) as stage:
        stage.ask("links, please")
        await model.called(1)
        await stage.quiet()
        bodies = [
            record.json.get("content") or ""
            for record in stage.twin.log.of("messages.create", "messages.edit")
        ]

    assert sum("evil.example" in body for body in bodies) >= 1
    assert [body for body in bodies if show_targets(ParsedText(body, Settings()))] == []

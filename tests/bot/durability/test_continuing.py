"""How a model is made to go on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.models import Model, asked
from streamcord import Finish, Message, ProviderEvent, Rejected, TextDelta
from streamcord._bot.conversation.build_prompt import CONTINUE
from streamcord._bot.durability.continuing import continue_answer, strip_echo
from streamcord.providers import Prompt, user

PROMPT = user("count")


async def said(model: Model, text: str, *, complete: bool = False) -> str:
    events = continue_answer(model.stream, PROMPT, model, text, complete=complete)
    return "".join([event.text async for event in events if isinstance(event, TextDelta)])


async def test_a_model_that_had_ended_is_not_asked() -> None:
    model = Model(["more"])

    assert await said(model, "all", complete=True) == ""
    assert model.prompts == []


async def test_a_model_that_had_said_nothing_is_asked_anew() -> None:
    model = Model(["one"])

    assert await said(model, "") == "one"
    assert model.prompts == [PROMPT]


async def test_a_model_without_prefill_is_asked_to_go_on() -> None:
    model = Model([" two"])

    assert await said(model, "one") == " two"
    assert asked(model.prompts[0]) == CONTINUE
    assert len(model.prompts[0].messages) == 3


class Continuing(Model):
    continues = True


async def test_a_refused_prefill_is_asked_for_in_words() -> None:
    model = Continuing([Rejected("no prefill")], [" two"])

    assert await said(model, "one") == " two"
    assert [prompt.prefill for prompt in model.prompts] == ["one", ""]


async def test_what_is_refused_in_words_too_is_refused() -> None:
    with pytest.raises(Rejected):
        await said(Model([Rejected("no")]), "one")
    with pytest.raises(Rejected):
        await said(Continuing([" two", Rejected("no")]), "one")


@pytest.mark.parametrize(
    ("pieces", "rest"),
    [
        (["one", " two", " three"], " three"),
        (["one two three"], " three"),
        ([" three"], " three"),
        (["one ", "else"], "one else"),
        (["one"], "one"),
        ([], ""),
    ],
)
async def test_what_a_model_repeats_as_a_whole_is_left_out(pieces: list[str], rest: str) -> None:
    class Source:
        closed = False

        def __aiter__(self) -> AsyncIterator[ProviderEvent | Message]:
            return self._say()

        async def _say(self) -> AsyncIterator[ProviderEvent | Message]:
            for piece in pieces:
                yield TextDelta(piece)
            yield Finish()

        async def aclose(self) -> None:
            self.closed = True

    source = Source()
    events = [event async for event in strip_echo(source, "one two")]  # type: ignore[arg-type]

    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == rest
    assert isinstance(events[-1], Finish)
    assert source.closed


async def test_without_a_text_everything_passes() -> None:
    async def source() -> AsyncIterator[ProviderEvent | Message]:
        yield TextDelta("a")

    assert [event async for event in strip_echo(source(), "")] == [TextDelta("a")]
    assert Prompt() == Prompt()

from __future__ import annotations

import pytest

from bot.stage import make_config
from streamcord import AnswerContext, Persona, Settings
from streamcord.store import Place, StoredPersona
from streamcord.utils import MarkupLine, read_message
from streamcord_bot.answering.answer_checks import (
    AnswerRefused,
    check_answer,
    is_adult,
    is_adult_place,
    requester_in,
)
from streamcord_bot.config import AnswerConfig, ContextConfig
from streamcord_bot.messages.chat_message import ChatMessage
from streamcord_bot.messages.question import Question
from streamcord_bot.policy.access import Requester
from streamcord_bot.policy.channel_config import ChannelConfig


class Somewhere:
    def __init__(self, *, nsfw: bool) -> None:
        self.id, self.guild, self.parent_id, self.category_id = 5, None, 4, None
        self._nsfw = nsfw

    def is_nsfw(self) -> bool:
        return self._nsfw


def test_requester_has_the_roles_of_the_last_message() -> None:
    messages = [
        ChatMessage(1, 9, "a", "x", roles=frozenset({1})),
        ChatMessage(2, 9, "a", "x", roles=frozenset({2})),
    ]

    assert requester_in(Question(9, messages), Somewhere(nsfw=False)) == Requester(
        9, 0, (5, 4), frozenset({2})
    )


@pytest.mark.parametrize(
    ("name", "tagged", "adult"),
    [
        ("Luna", False, False),
        ("Vamp", False, True),
        ("vamp", False, True),
        ("Rex", True, True),
        ("Rex", False, False),
    ],
)
def test_adult_persona_is_set_by_file_or_card(name: str, tagged: bool, adult: bool) -> None:
    config = make_config(personas={"Luna": {}, "Vamp": {"nsfw": True}})

    assert is_adult(config, StoredPersona(Persona(name), adult=tagged)) == adult


def test_only_age_restricted_channels_are_for_adults() -> None:
    assert is_adult_place(Somewhere(nsfw=True))
    assert not is_adult_place(Somewhere(nsfw=False))
    assert not is_adult_place(object())


@pytest.mark.parametrize("name", ["[bank.com](https://evil.example)", "**@everyone**", "`a` <@1>"])
def test_name_of_a_persona_is_no_markup_in_the_notice_about_it(name: str) -> None:
    persona = StoredPersona(Persona(name), adult=True)
    shown = ChannelConfig(Place(1, 5), persona, Settings(), AnswerContext(), AnswerConfig(), ContextConfig())
    with pytest.raises(AnswerRefused) as refused:
        check_answer(make_config(), shown, Requester(1, 0, (5,), frozenset()), Somewhere(nsfw=False))

    told = str(refused.value.values["name"])
    # As Discord renders it, the name is plain text in bold.
    [line] = read_message(told)
    assert isinstance(line, MarkupLine)
    assert "".join(run.text for run in line.runs).replace("\u200b", "") == name
    assert "](" not in told
    assert "<@1>" not in told

"""What is looked at before an answer: whether a model is open to whoever asks, and who may speak where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamcord.store import StoredPersona

from ..config import BotConfig
from ..conversation.channel_config import ChannelConfig
from .access import ClosedTo, Visitor, is_open, visitor_of

if TYPE_CHECKING:
    from ..conversation.channel_queue import Question

__all__ = ["AnswerRefused", "asker_in", "check_answer", "is_adult", "is_adult_place"]


class AnswerRefused(Exception):
    """A question is not answered; `key` is the text that says why."""

    def __init__(self, key: str, visitor: Visitor, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.visitor = visitor
        self.values = values


def asker_in(question: Question, channel: object) -> Visitor:
    """Whoever asks, as the lists see them."""
    return visitor_of(question.owner, question.messages[-1].roles, channel)


def check_answer(config: BotConfig, channel_config: ChannelConfig, visitor: Visitor, channel: object) -> None:
    """Raise `AnswerRefused` if no model is open, or if whoever speaks may not speak here."""
    models = config.models
    if models and not is_open(config.model(channel_config.model).open_to, visitor):
        raise AnswerRefused(ClosedTo.MODEL, visitor)
    if is_adult(config, channel_config.speaker) and not is_adult_place(channel):
        raise AnswerRefused("closed_persona", visitor, name=channel_config.persona.name)


def is_adult(config: BotConfig, speaker: StoredPersona) -> bool:
    """Whether a persona is for age-restricted channels: by the file, or by a tag of its card."""
    given = next((one for one in config.personas if one.name.casefold() == speaker.name.casefold()), None)
    return (given is not None and given.nsfw) or speaker.adult


def is_adult_place(channel: object) -> bool:
    """Whether a channel is age-restricted; direct messages are not."""
    asks = getattr(channel, "is_nsfw", None)
    return bool(asks and asks())

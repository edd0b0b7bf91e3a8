"""Write the prompt of an answer: instructions, memories, lore and the conversation."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from streamcord import AnswerContext, StoreError
from streamcord.providers import Prompt, user
from streamcord.store import Memory, Store

from ..messages.chat_message import ChatMessage
from ..messages.question import AnswerKind, Question
from ..personas.macros import MacroValues, fill_macros, mentions_user
from ..policy.channel_config import ChannelConfig
from ..prompt.channel_history import Conversation
from ..prompt.context_window import WindowStarts
from ..prompt.lorebook import LorebookCache
from ..prompt.prompt_builder import (
    CONTINUE,
    Window,
    build_prompt,
    chain_of,
    count_tokens,
    shorten,
    write_instructions,
    write_reminders,
)
from .greeting import macro_values

MIN_PERSONA_TOKENS = 1000
"""Tokens for a server's persona, also where the conversation has fewer."""
MAX_TOKENS_OF_SHARED = 1_000_000
"""Tokens for lore and note of a persona of the configuration file: no limit in practice."""
_log = logging.getLogger(__name__)


class PromptComposer:
    """Writes the prompt of an answer: instructions, memories, lore and the conversation."""

    def __init__(self, store: Store, lorebooks: LorebookCache) -> None:
        self._store = store
        self._lorebooks = lorebooks
        # Where the window of each channel begins, so that a provider's cache stays valid.
        self._windows = WindowStarts()

    async def compose(
        self,
        question: Question,
        channel_config: ChannelConfig,
        conversation: Conversation,
        context: AnswerContext,
        greeted: str = "",
    ) -> Prompt:
        """Write the prompt; `greeted` is the greeting that was sent just before."""
        asked = [message.id for message in question.messages]
        messages = list(conversation.messages)
        # In a chain of replies, messages beside the chain are not part of the conversation.
        if channel_config.context.source == "replies" and question.kind is AnswerKind.ANSWER:
            known = {message.id: message for message in messages}
            messages = [*(known[id_] for id_ in asked), *chain_of(known[asked[-1]], messages)]
        # Only memories of this channel: text of a private channel must not come up in another one.
        wanted = channel_config.context.memory if question.messages[-1].reads_back else 0
        memories = await self._memories(channel_config, wanted)
        # Messages of a replaced answer are about to be deleted: treat them as shown, so that they are not recalled.
        shown = {message.id for message in messages} | set(question.replaces)
        name = question.messages[-1].name
        values = macro_values(channel_config, name)
        # With several people the instructions stay the same, so that a provider can cache them.
        steady = replace(values, user="the user") if channel_config.place.guild else values
        instructions, left = _instructions_of(channel_config, steady)
        more = await self._lore_sections(channel_config, messages, greeted, left, values)
        if steady is not values and mentions_user(channel_config.speaker.prompt):
            more = [*more, f"The user is {values.user} now."]
        prompt = build_prompt(
            messages,
            asked,
            channel_config.context,
            write_instructions(channel_config.persona, instructions, context.emoji),
            reminders=write_reminders(memories, shown, *more),
            window=self._window(question, channel_config),
            asked_last=question.waited,
        )
        if question.kind is AnswerKind.CONTINUE:
            prompt += user(CONTINUE)
        key = f"{channel_config.place.channel or channel_config.place.guild}:{channel_config.persona.name}"
        return replace(prompt, prefill=context.prefill or prompt.prefill, cache_key=_short_key(key))

    async def _memories(self, channel_config: ChannelConfig, wanted: int) -> Sequence[Memory]:
        """Return the newest memories of the persona in this place; none if the store cannot be reached."""
        if not wanted:
            return ()
        name, place = channel_config.persona.name, channel_config.place
        try:
            return (await self._store.recall(name, place))[-wanted:]
        except StoreError as error:
            _log.warning("recalling memories of %s failed, answering without them: %s", name, error)
            return ()

    async def _lore_sections(
        self,
        channel_config: ChannelConfig,
        messages: Sequence[ChatMessage],
        greeted: str,
        left: int,
        values: MacroValues,
    ) -> list[str]:
        """Return matching lore of the persona's card, the greeting that was just sent, and the author's note.

        Lore and note have at most `left` tokens together.
        """
        lore_of_persona = await self._lorebooks.find(channel_config.speaker)
        said = [f"You have just greeted everybody with these words:\n{greeted}"] if greeted else []
        lore = await self._lorebooks.search(lore_of_persona.book, [message.text for message in messages])
        note = shorten(fill_macros(lore_of_persona.author_note, values), left // 2)
        lore = _fitting([fill_macros(text, values) for text in lore], left - count_tokens(note))
        lore_section = (
            ["\n".join([f"What {channel_config.persona.name} knows of this:", *lore])] if lore else []
        )
        return [*lore_section, *said, note]

    def _window(self, question: Question, channel_config: ChannelConfig) -> Window | None:
        """Return a function that chooses the messages the model reads, so that a provider's cache stays useful.

        Returns `None` for a chain of replies, which the model reads as a whole.
        """
        if channel_config.context.source == "replies" or not question.messages[-1].reads_back:
            return None
        asked = frozenset(message.id for message in question.messages)

        def choose(ordered: Sequence[ChatMessage], cost: Callable[[ChatMessage], int]) -> list[ChatMessage]:
            return self._windows.choose(question.channel, ordered, asked, channel_config.context, cost)

        return choose


def _instructions_of(channel_config: ChannelConfig, values: MacroValues) -> tuple[str, int]:
    """Return the instructions of the persona, and the tokens that are left for its lore and note.

    A server's own persona has at most as many tokens as the conversation: those who ask pay for all of them.
    """
    text = fill_macros(channel_config.speaker.prompt, values)
    if not channel_config.speaker.guild:
        return text, MAX_TOKENS_OF_SHARED
    tokens = max(channel_config.context.tokens, MIN_PERSONA_TOKENS)
    instructions = shorten(text, tokens * 3 // 4)
    return instructions, max(0, tokens - count_tokens(instructions))


def _fitting(entries: Sequence[str], tokens: int) -> tuple[str, ...]:
    """Return the entries that fit, in order; one that is too large is left out."""
    kept: list[str] = []
    for entry in entries:
        if count_tokens(entry) <= tokens:
            kept.append(entry)
            tokens -= count_tokens(entry)
    return tuple(kept)


def _short_key(text: str) -> str:
    """Return a provider's cache key that reveals nothing about the server or the persona."""
    return hashlib.blake2s(text.encode(), digest_size=16).hexdigest()

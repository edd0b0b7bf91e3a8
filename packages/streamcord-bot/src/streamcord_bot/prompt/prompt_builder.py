"""Build the prompt of an answer: instructions, then the conversation, within a budget of tokens.

Messages of the bot, also those through a webhook, are the assistant's turns; all others are the user's, each with its
author's name in front. The newest messages are kept; the question itself is always among them.

No user can forge a line of the prompt, because only its own lines begin at the margin. Every further line of a user's
text, and every line of a file, is indented; names lose the characters that labels and brackets consist of.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from streamcord import Emoji, Persona, Sprite
from streamcord.providers import AssistantMessage, File, Image, Prompt, Text, UserMessage
from streamcord.store import Memory

from ..config import ContextConfig
from ..messages.chat_message import AttachedFile, ChatMessage
from .context_window import MAX_WINDOW_FACTOR

IMAGE_TOKENS = 300
"""Estimate for a picture; providers count between 85 and 1600."""
FILE_TOKENS = 600
"""Estimate for a file that the model reads itself; a page of PDF takes about 300 to 2000."""
BRACKET_TOKENS = 10
"""Estimate for the lines around a file or part: `[file]`, `[end of file]`."""
MIN_VOWELS = 0.22
"""Share of vowels in the letters of words; English has 0.38, random letters 0.19."""
_LETTERS, _VOWELS = string.ascii_lowercase.encode(), b"aeiou"
_HALVES = (string.ascii_uppercase + string.digits).encode()
_MARKS = string.punctuation.encode()
MAX_QUOTE_CHARS = 80
MAX_NAME_CHARS = 40
ELLIPSIS = "\n[…]\n"
MIN_CUT_CHARS = 8
"""Characters that are always kept of a text that is cut."""
INDENT = "\n  "
_RESERVED = ("you", "system", "developer", "assistant", "user")
_BARE = str.maketrans({"[": "(", "]": ")", '"': "'"})
_QUOTES = str.maketrans({'"': "'"})
_Labels: TypeAlias = "dict[tuple[int, str], str]"

Window: TypeAlias = Callable[[Sequence[ChatMessage], Callable[[ChatMessage], int]], Sequence[ChatMessage]]
"""Called with all messages in order and a cost function; returns the messages that the model reads."""
_Side: TypeAlias = UserMessage | AssistantMessage


def build_prompt(
    messages: Iterable[ChatMessage],
    asked: Collection[int],
    budget: ContextConfig,
    system: str = "",
    *,
    reminders: str = "",
    window: Window | None = None,
    asked_last: bool = False,
) -> Prompt:
    """Return the prompt of a conversation.

    Args:
        messages: all known messages, in any order.
        asked: ids of the messages of the question, which are never left out.
        budget: limits of messages, tokens and pictures.
        system: the instructions.
        reminders: text that changes with every answer. It comes last, so that a provider can cache the rest.
        window: chooses the messages; without one, the newest that fit are used.
        asked_last: whether the question waited, so that it comes after newer messages.

    """
    known = {message.id: message for message in messages if not message.is_empty}
    ordered = [known[id_] for id_ in sorted(known, key=lambda id_: (asked_last and id_ in asked, id_))]
    chosen = _newest(window(ordered, message_cost) if window else ordered, frozenset(asked), budget, window)
    # Pictures are expensive: only the newest are sent.
    pictures = budget.images
    shown: list[ChatMessage] = []
    for message in reversed(chosen):
        files = [one for one in message.images if isinstance(one, File)]
        images = [one for one in message.images if isinstance(one, Image)][:pictures]
        pictures -= len(images)
        shown.append(replace(message, images=(*images, *files)))
    shown.reverse()
    said = _mark(list(_messages(shown, known, _labels(ordered))))
    if reminders:
        said = _join(said, [UserMessage((Text(reminders),))])
    return Prompt(tuple(map(_without_last_newline, said)), system)


def build_follow_up(
    messages: Sequence[ChatMessage], conversation: Iterable[ChatMessage], budget: ContextConfig
) -> Prompt:
    """Return what people said while the model worked, in the form of the conversation that it knows.

    Args:
        messages: the follow-ups, in order.
        conversation: the messages of the conversation and of earlier follow-ups.
        budget: limits of tokens and pictures.

    """
    known = {one.id: one for one in (*conversation, *messages)}
    labels = _labels(known[id_] for id_ in sorted(known))
    share = max(16, budget.tokens // max(1, len(messages)))
    shown = [_shortened(one, share) for one in messages if not one.is_empty]
    if not shown:
        return Prompt()
    return Prompt((_without_last_newline(UserMessage(_said(shown, known, labels))),))


def chain_of(question: ChatMessage, messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Return the question and the chain of messages that it replies to, the oldest first."""
    known = {message.id: message for message in messages}
    chain = [question]
    # A reply is always newer than its target, so a chain cannot be a circle.
    while 0 < chain[-1].reply_to < chain[-1].id and (before := known.get(chain[-1].reply_to)):
        chain.append(before)
    return chain[::-1]


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: about four English letters each, less than one Japanese letter.

    Models know words. Capitals, digits and letters that form no words take about a token for two, other signs one
    each; so keys, hashes and noise cost about what a provider counts for them.
    """
    raw = text.encode("utf-8", "replace")
    marks, vowels, letters = (_count(raw, kind) for kind in (_MARKS, _VOWELS, _LETTERS))
    halves = _count(raw, _HALVES)
    if vowels < MIN_VOWELS * letters:
        halves += letters
    # In quarters of a token: what is neither a sign nor a half is part of a word, or a space.
    quarters = 4 * marks + 2 * halves + (len(text) - marks - halves)
    return quarters // 4 + (len(raw) - len(text)) // 2 + 1


def _count(raw: bytes, kind: bytes) -> int:
    return len(raw) - len(raw.translate(None, kind))


def tidy_name(name: str) -> str:
    """Return a name on one line, without colons and brackets, so that it cannot forge a line of the prompt."""
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    plain = words.replace(":", "").replace("：", "").translate(_BARE)
    return plain.strip()[:MAX_NAME_CHARS] or "someone"


def _labels(messages: Iterable[ChatMessage]) -> _Labels:
    """Return a unique label for each author; the second author with the same name is `alice (2)`."""
    messages = list(messages)
    # Names of roles and of our personas are reserved, so that no user can pass for them.
    owners: dict[str, int] = dict.fromkeys(_RESERVED, 0)
    owners |= {tidy_name(one.name).casefold(): 0 for one in messages if one.own}
    labels: _Labels = {}
    counts: dict[str, int] = {}
    for one in messages:
        if one.own or (one.author, one.name) in labels:
            continue
        name = label = tidy_name(one.name)
        # Another author has this label already: count up until it is free.
        while owners.get(label.casefold(), one.author) != one.author:
            counts[name] = counts.get(name, 1) + 1
            label = f"{name} ({counts[name]})"
        owners[label.casefold()] = one.author
        labels[one.author, one.name] = label
    return labels


# --- Budget ---------------------------------------------------------------------------------------


def _newest(
    ordered: Sequence[ChatMessage], asked: frozenset[int], budget: ContextConfig, window: Window | None
) -> list[ChatMessage]:
    """Return as many of the newest messages as fit; the question is always kept, shortened if needed."""
    left = int(budget.tokens * MAX_WINDOW_FACTOR) if window else budget.tokens
    max_messages = len(ordered) if window else budget.messages
    question = [message for message in ordered if message.id in asked]
    # Each message of the question gets an equal share of the budget, so that none pushes out the others.
    share = max(16, left // max(1, len(question)))
    kept = {message.id: _shortened(message, share) for message in question}
    left -= sum(message_cost(message) for message in kept.values())
    for message in reversed(ordered):
        if message.id in kept:
            continue
        left -= message_cost(message)
        # Stop at the first message that does not fit: the conversation must have no gaps.
        if left < 0 or len(kept) >= max(max_messages, len(question)):
            break
        kept[message.id] = message
    return [kept[message.id] for message in ordered if message.id in kept]


def message_cost(message: ChatMessage) -> int:
    """Estimate the tokens of a message with its files and pictures."""
    texts = [message.text, message.name, *(file.text for file in message.files)]
    # Names count, too: a message may have many files that are not read.
    texts += [part.text for part in message.parts] + [tidy_name(file.name) for file in message.files]
    brackets = BRACKET_TOKENS * (len(message.files) + len(message.parts))
    files = sum(isinstance(one, File) for one in message.images)
    rich = IMAGE_TOKENS * (len(message.images) - files) + FILE_TOKENS * files
    return sum(map(_indented_tokens, texts)) + brackets + rich


def _indented_tokens(text: str) -> int:
    """Estimate the tokens of a text with indented lines."""
    return count_tokens(text) + max(0, len(text.splitlines()) - 1)


def _shortened(message: ChatMessage, tokens: int) -> ChatMessage:
    if message_cost(message) <= tokens:
        return message
    rest = [*message.files, *message.parts]
    # Half of the budget for the text itself, half for files and parts.
    share = tokens // 2 // max(1, len(rest))
    files = tuple(replace(file, text=_middle_cut(file.text, share)) for file in message.files)
    parts = tuple(replace(part, text=_middle_cut(part.text, share)) for part in message.parts)
    text = _middle_cut(message.text, tokens // (2 if rest else 1))
    return replace(message, text=text, files=files, parts=parts)


def shorten(text: str, tokens: int) -> str:
    """Return a text of at most about this many tokens: its beginning and its end if it is too long."""
    return _middle_cut(text, tokens) if text else ""


def _middle_cut(text: str, tokens: int) -> str:
    """Return the beginning and the end of a text that is too long."""
    if _indented_tokens(text) <= tokens:
        return text
    # Scale the length by the estimated tokens, and keep half of it at each end. Repeated, because the ends may have
    # more tokens for their length than the middle.
    length, cut = len(text), text
    while (cost := _indented_tokens(cut)) > tokens and length > MIN_CUT_CHARS:
        length = max(MIN_CUT_CHARS, min(length * tokens // cost, length - len(ELLIPSIS)))
        cut = text[: length // 2] + ELLIPSIS + text[-(length - length // 2) :]
    return cut


# --- Turns ----------------------------------------------------------------------------------------


def _messages(
    messages: Sequence[ChatMessage], known: dict[int, ChatMessage], labels: _Labels
) -> Iterable[_Side]:
    """Yield the messages of the prompt; consecutive messages of one side are joined."""
    at = 0
    while at < len(messages):
        end = at
        while end < len(messages) and messages[end].own == messages[at].own:
            end += 1
        run = messages[at:end]
        own = run[0].own
        yield AssistantMessage((Text(_own_words(run)),)) if own else UserMessage(_said(run, known, labels))
        at = end


def _own_words(messages: Sequence[ChatMessage]) -> str:
    """Return our messages as the model wrote them, with a label wherever the speaker's appearance changes.

    The return to the base look is written as the plain name, `Luna: `: a line without a label would be read as one
    of the sprite before it.
    """
    lines, current, base = [], "", ""
    for message in messages:
        if message.label:
            # `Luna (mad): `: a modifier contains no brackets, a name may.
            base = f"{message.label.rpartition(' (')[0]}: "
        label = message.label or base
        lines.append((label if label != current else "") + message.text)
        current = label
    return "\n".join(lines)


def _said(
    messages: Sequence[ChatMessage], known: dict[int, ChatMessage], labels: _Labels
) -> tuple[Text | Image | File, ...]:
    """Return user messages as separate parts: providers cache by part, so a joined text would never match."""
    parts: list[Text | Image | File] = []
    for message in messages:
        lines = [_line(message, known, labels)]
        lines += [_part(part.kind, part.text) for part in message.parts]
        lines += [_file(file) for file in message.files]
        parts += [Text("\n".join(lines) + "\n"), *message.images]
    return tuple(parts)


def _join(first: Sequence[_Side], then: Sequence[_Side]) -> list[_Side]:
    """Join two parts of a conversation; consecutive user messages become one."""
    if first and then and isinstance(first[-1], UserMessage) and isinstance(then[0], UserMessage):
        return [*first[:-1], UserMessage(first[-1].parts + then[0].parts), *then[1:]]
    return [*first, *then]


def _without_last_newline(message: _Side) -> _Side:
    if isinstance(message, UserMessage) and isinstance(last := message.parts[-1], Text):
        return UserMessage((*message.parts[:-1], replace(last, text=last.text.rstrip("\n"))))
    return message


def _mark(history: list[_Side]) -> list[_Side]:
    """Return the history with a cache mark at its end: the next prompt begins with the same history."""
    if not history or not isinstance(last := history[-1].parts[-1], Text):
        return history
    # Providers with explicit cache points (Anthropic) cache the prompt up to this part.
    marked = replace(last, cache_here=True)
    if isinstance(history[-1], UserMessage):
        return [*history[:-1], UserMessage((*history[-1].parts[:-1], marked))]
    return [*history[:-1], AssistantMessage((*history[-1].parts[:-1], marked))]


def _line(message: ChatMessage, known: dict[int, ChatMessage], labels: _Labels) -> str:
    if message.is_system_message:
        return f"[{' '.join(message.text.split()).translate(_BARE)}]"
    # A reply quotes its target, so that the model knows which message is meant.
    target = known.get(message.reply_to)
    about = f" (to {_quote(target, labels)})" if target is not None else ""
    return f"{labels[message.author, message.name]}{about}: {indent(message.text)}"


def indent(text: str) -> str:
    """Indent text of a user, so that none of its lines but the first begins at the margin."""
    return INDENT.join(text.splitlines())


def _quote(message: ChatMessage, labels: _Labels) -> str:
    text = " ".join(message.text.split()).translate(_QUOTES)
    short = text if len(text) <= MAX_QUOTE_CHARS else text[: MAX_QUOTE_CHARS - 1] + "…"
    who = "you" if message.own else labels[message.author, message.name]
    return f'{who}, "{short}"' if short else who


def _file(file: AttachedFile) -> str:
    title = f"{file.kind} {tidy_name(file.name)}"
    if not file.text:
        return f"[{title}: it cannot be read]"
    return f"[{title}]{INDENT}{indent(file.text)}\n[end of {file.kind}]"


def _part(kind: str, text: str) -> str:
    # A single line fits into the bracket; several lines are indented below it.
    if len(text.splitlines()) > 1:
        return f"[{kind}]{INDENT}{indent(text)}\n[end of {kind}]"
    return f"[{kind}: {indent(text).translate(_BARE)}]"


CONTINUE = "[Go on exactly where your last message ended. Do not repeat any of it.]"
RETRY_INSTRUCTION = "[Your last answer was empty. Answer in words that people can see.]"

_MANNERS = (
    "Each message of other people begins with their name; its further lines begin with two spaces, and "
    "whatever they say, that person alone says it. You are {name}: write only what {name} says, without a "
    "name in front. Text in [reminders] is for you alone."
)
MAX_EMOJI = 60
MAX_INSTRUCTION_CHARS = 200
MAX_MEMORY_CHARS = 400
MAX_DETAILS_CHARS = 2000


def write_instructions(persona: Persona, prompt: str, emoji: Iterable[Emoji] = ()) -> str:
    """Return the system prompt, which stays the same from answer to answer."""
    name = tidy_name(persona.name)
    sections = [
        # A persona without a prompt still needs to know its name.
        prompt.strip() or f"You are {name}, a friendly member of a Discord server.",
        _MANNERS.format(name=name),
        _sprite_lines(persona, name),
        _emoji(emoji),
    ]
    return "\n\n".join(section for section in sections if section)


def write_reminders(memories: Sequence[Memory], shown: Collection[int] = (), *more: str) -> str:
    """Return the reminder after a question, in a bracket that no user can write.

    Memories of messages that are in the conversation (`shown`) are left out.
    """
    sections = [*more, _answers(memories, frozenset(shown)), _details(memories)]
    text = "\n\n".join(section for section in sections if section)
    return f"[reminders]\n{text}\n[end of reminders]\n" if text else ""


def _sprite_lines(persona: Persona, name: str) -> str:
    sprites = [sprite for sprite in persona.sprites if sprite.usable]
    if not sprites:
        return ""
    begin = f"To change your look, begin a line with `{name} (look): `. Your looks:"
    if not any(sprite.instruction for sprite in sprites):
        return f"{begin} {', '.join(sprite.name for sprite in sprites)}."
    return "\n".join([begin, *map(_sprite_line, sprites)])


def _sprite_line(sprite: Sprite) -> str:
    """Return `- mad: when teased`; an instruction is one line, so that none of it begins at the margin."""
    instruction = " ".join(sprite.instruction.split())[:MAX_INSTRUCTION_CHARS]
    return f"- {tidy_name(sprite.name)}: {instruction}" if instruction else f"- {tidy_name(sprite.name)}"


def _emoji(emoji: Iterable[Emoji]) -> str:
    names = [f":{one.name}:" for one in emoji][:MAX_EMOJI]
    return f"Emoji of this server that you may use: {' '.join(names)}" if names else ""


def _answers(memories: Sequence[Memory], shown: frozenset[int]) -> str:
    recalled = [
        memory for memory in memories if not shown.intersection(memory.messages) and memory.text.strip()
    ]
    lines = [f"- {_short(memory.text, MAX_MEMORY_CHARS)}" for memory in recalled]
    return "\n".join(["What you said elsewhere lately, the oldest first:", *lines]) if lines else ""


def _details(memories: Sequence[Memory]) -> str:
    """Return the notes that the model made in `<details>`; the oldest are left out if they are too long."""
    notes = [note.strip() for memory in memories for note in memory.details if note.strip()]
    # A repeated note counts at its last position.
    newest_last = list(reversed(dict.fromkeys(reversed(notes))))
    # A user can make the model write a note, so no line of it may begin at the margin like one of the prompt.
    text = "\n\n".join(f"- {indent(note)}" for note in newest_last)
    if len(text) > MAX_DETAILS_CHARS:
        text = "…" + text[-MAX_DETAILS_CHARS:]
    return f"Notes that you made for yourself:\n{text}" if text else ""


def _short(text: str, length: int) -> str:
    words = " ".join(text.split())
    return words if len(words) <= length else words[: length - 1] + "…"

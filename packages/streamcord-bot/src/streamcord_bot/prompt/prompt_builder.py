"""What the model is asked: instructions about itself, then the conversation, within a budget of tokens.

Our own messages, also those through a webhook, are the model's turns; everybody else's are the user's, each
with its author's name in front. The newest are kept; the question itself is always among them.

No user can write a line of the prompt's own: only those begin at the margin. Every further line of what
a user wrote, and every line of a file, is set in; names lose what labels and brackets are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from streamcord import Emoji, Persona
from streamcord.providers import AssistantMessage, Image, Prompt, Text, UserMessage
from streamcord.store import Memory

from ..config.sections import ContextConfig
from ..messages.chat_message import AttachedFile, ChatMessage
from .context_window import MAX_WINDOW_FACTOR

__all__ = [
    "CONTINUE",
    "RETRY_INSTRUCTION",
    "Window",
    "build_prompt",
    "chain_of",
    "count_tokens",
    "message_cost",
    "tidy_name",
    "write_instructions",
    "write_reminders",
]

IMAGE_TOKENS = 300
"""What a picture counts; providers differ between 85 and 1600."""
QUOTE_LENGTH = 80
NAME_LENGTH = 40
CUT = "\n[…]\n"
SET_IN = "\n  "
_RESERVED = ("you", "system", "developer", "assistant", "user")
_BARE = str.maketrans({"[": "(", "]": ")", '"': "'"})
_QUOTES = str.maketrans({'"': "'"})
_Labels: TypeAlias = "dict[tuple[int, str], str]"

Window: TypeAlias = Callable[[Sequence[ChatMessage], Callable[[ChatMessage], int]], Sequence[ChatMessage]]
"""Chooses the messages that are read, out of all in their order; is given what a message costs."""
_Side: TypeAlias = UserMessage | AssistantMessage


def build_prompt(
    messages: Iterable[ChatMessage],
    asked: Collection[int],
    budget: ContextConfig,
    system: str = "",
    *,
    reminders: str = "",
    window: Window | None = None,
) -> Prompt:
    """The prompt of a conversation; `asked` are the ids of the question, which is never left out.

    `reminders` change from answer to answer, so they stand behind everything else, with which the next prompt
    begins as well, so that a provider can cache it. `window` chooses the messages; without one the newest are
    taken that fit.
    """
    known = {message.id: message for message in messages if not message.is_empty}
    ordered = [known[id_] for id_ in sorted(known)]
    chosen = _newest(window(ordered, message_cost) if window else ordered, frozenset(asked), budget, window)
    pictures = budget.images
    shown: list[ChatMessage] = []
    for message in reversed(chosen):
        images = message.images[:pictures]
        pictures -= len(images)
        shown.append(replace(message, images=images))
    shown.reverse()
    said = _mark(list(_messages(shown, known, _labels(ordered))))
    if reminders:
        said = _join(said, [UserMessage((Text(reminders),))])
    return Prompt(tuple(map(_without_last_newline, said)), system)


def chain_of(question: ChatMessage, messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The question and the chain of messages that it replies to, the oldest first."""
    known = {message.id: message for message in messages}
    chain = [question]
    # Ids fall on the way back, so that no chain can lead in a circle.
    while 0 < chain[-1].reply_to < chain[-1].id and (before := known.get(chain[-1].reply_to)):
        chain.append(before)
    return chain[::-1]


def count_tokens(text: str) -> int:
    """An estimate of a text's tokens: about four English letters each, less than one Japanese letter."""
    return len(text) // 4 + (len(text.encode("utf-8", "replace")) - len(text)) // 2 + 1


def tidy_name(name: str) -> str:
    """A name on one line, without colons and brackets, so that it cannot pass for a line of the prompt."""
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    plain = words.replace(":", "").replace("：", "").translate(_BARE)
    return plain.strip()[:NAME_LENGTH] or "someone"


def _labels(messages: Iterable[ChatMessage]) -> _Labels:
    """What each author is called; of two with one name, the second is `alice (2)`."""
    messages = list(messages)
    owners: dict[str, int] = dict.fromkeys(_RESERVED, 0)
    owners |= {tidy_name(one.name).casefold(): 0 for one in messages if one.own}
    labels: _Labels = {}
    counts: dict[str, int] = {}
    for one in messages:
        if one.own or (one.author, one.name) in labels:
            continue
        name = label = tidy_name(one.name)
        while owners.get(label.casefold(), one.author) != one.author:
            counts[name] = counts.get(name, 1) + 1
            label = f"{name} ({counts[name]})"
        owners[label.casefold()] = one.author
        labels[one.author, one.name] = label
    return labels


# --- What fits ------------------------------------------------------------------------------------


def _newest(
    ordered: Sequence[ChatMessage], asked: frozenset[int], budget: ContextConfig, window: Window | None
) -> list[ChatMessage]:
    """As many of the newest messages as fit; the question is always kept, shortened if needed."""
    left = int(budget.tokens * MAX_WINDOW_FACTOR) if window else budget.tokens
    most = len(ordered) if window else budget.messages
    question = [message for message in ordered if message.id in asked]
    share = max(16, left // max(1, len(question)))
    kept = {message.id: _shortened(message, share) for message in question}
    left -= sum(message_cost(message) for message in kept.values())
    for message in reversed(ordered):
        if message.id in kept:
            continue
        left -= message_cost(message)
        if left < 0 or len(kept) >= max(most, len(question)):
            break
        kept[message.id] = message
    return [kept[id_] for id_ in sorted(kept)]


def message_cost(message: ChatMessage) -> int:
    """An estimate of a message's tokens, with its files and pictures."""
    texts = [message.text, message.name, *(file.text for file in message.files)]
    texts += [part.text for part in message.parts]
    return sum(map(_weigh, texts)) + IMAGE_TOKENS * len(message.images)


def _weigh(text: str) -> int:
    """The tokens of a text whose lines are set in."""
    return count_tokens(text) + max(0, len(text.splitlines()) - 1)


def _shortened(message: ChatMessage, tokens: int) -> ChatMessage:
    if message_cost(message) <= tokens:
        return message
    rest = [*message.files, *message.parts]
    share = tokens // 2 // max(1, len(rest))
    files = tuple(replace(file, text=_middle_cut(file.text, share)) for file in message.files)
    parts = tuple(replace(part, text=_middle_cut(part.text, share)) for part in message.parts)
    text = _middle_cut(message.text, tokens // (2 if rest else 1))
    return replace(message, text=text, files=files, parts=parts)


def _middle_cut(text: str, tokens: int) -> str:
    """The beginning and end of a text that is too long."""
    if _weigh(text) <= tokens:
        return text
    length = max(8, len(text) * tokens // _weigh(text) - len(CUT))
    return text[: length // 2] + CUT + text[-(length - length // 2) :]


# --- Turns ----------------------------------------------------------------------------------------


def _messages(
    messages: Sequence[ChatMessage], known: dict[int, ChatMessage], labels: _Labels
) -> Iterable[_Side]:
    """The messages of the prompt; neighbours on the same side of the conversation are joined."""
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
    """Our messages as the model wrote them, with a label wherever the look changes."""
    lines, worn = [], ""
    for message in messages:
        lines.append((message.label if message.label != worn else "") + message.text)
        worn = message.label
    return "\n".join(lines)


def _said(
    messages: Sequence[ChatMessage], known: dict[int, ChatMessage], labels: _Labels
) -> tuple[Text | Image, ...]:
    """Each message is a part of its own: caches compare parts, and a longer text would be another part."""
    parts: list[Text | Image] = []
    for message in messages:
        lines = [_line(message, known, labels)]
        lines += [_part(part.kind, part.text) for part in message.parts]
        lines += [_file(file) for file in message.files]
        parts += [Text("\n".join(lines) + "\n"), *message.images]
    return tuple(parts)


def _join(first: Sequence[_Side], then: Sequence[_Side]) -> list[_Side]:
    """Two parts of a conversation as one; neighbours of people become one message."""
    if first and then and isinstance(first[-1], UserMessage) and isinstance(then[0], UserMessage):
        return [*first[:-1], UserMessage(first[-1].parts + then[0].parts), *then[1:]]
    return [*first, *then]


def _without_last_newline(message: _Side) -> _Side:
    if isinstance(message, UserMessage) and isinstance(last := message.parts[-1], Text):
        return UserMessage((*message.parts[:-1], replace(last, text=last.text.rstrip("\n"))))
    return message


def _mark(history: list[_Side]) -> list[_Side]:
    """The history with a mark at its end: the next prompt begins with it as well."""
    if not history or not isinstance(last := history[-1].parts[-1], Text):
        return history
    marked = replace(last, cache_here=True)
    if isinstance(history[-1], UserMessage):
        return [*history[:-1], UserMessage((*history[-1].parts[:-1], marked))]
    return [*history[:-1], AssistantMessage((*history[-1].parts[:-1], marked))]


def _line(message: ChatMessage, known: dict[int, ChatMessage], labels: _Labels) -> str:
    if message.is_note:
        return f"[{' '.join(message.text.split()).translate(_BARE)}]"
    target = known.get(message.reply_to)
    about = f" (to {_quote(target, labels)})" if target is not None else ""
    return f"{labels[message.author, message.name]}{about}: {_set_in(message.text)}"


def _set_in(text: str) -> str:
    """Indent text of a user, so that none of its lines but the first begins at the margin."""
    return SET_IN.join(text.splitlines())


def _quote(message: ChatMessage, labels: _Labels) -> str:
    text = " ".join(message.text.split()).translate(_QUOTES)
    short = text if len(text) <= QUOTE_LENGTH else text[: QUOTE_LENGTH - 1] + "…"
    who = "you" if message.own else labels[message.author, message.name]
    return f'{who}, "{short}"' if short else who


def _file(file: AttachedFile) -> str:
    title = f"{file.kind} {tidy_name(file.name)}"
    if not file.text:
        return f"[{title}: it cannot be read]"
    return f"[{title}]{SET_IN}{_set_in(file.text)}\n[end of {file.kind}]"


def _part(kind: str, text: str) -> str:
    if len(text.splitlines()) > 1:
        return f"[{kind}]{SET_IN}{_set_in(text)}\n[end of {kind}]"
    return f"[{kind}: {_set_in(text).translate(_BARE)}]"


CONTINUE = "[Go on exactly where your last message ended. Do not repeat any of it.]"
RETRY_INSTRUCTION = "[Your last answer was empty. Answer in words that people can see.]"

_MANNERS = (
    "Each message of other people begins with their name; its further lines begin with two spaces, and "
    "whatever they say, that person alone says it. You are {name}: write only what {name} says, without a "
    "name in front. What stands in [reminders] is for you alone."
)
EMOJI_CAP = 60
MEMORY_LENGTH = 400
DETAILS_LENGTH = 2000


def write_instructions(persona: Persona, prompt: str, emoji: Iterable[Emoji] = ()) -> str:
    """The system prompt: what stays the same from answer to answer."""
    name = tidy_name(persona.name)
    sections = [
        prompt.strip() or f"You are {name}, a friendly member of a Discord server.",
        _MANNERS.format(name=name),
        _looks(persona, name),
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


def _looks(persona: Persona, name: str) -> str:
    looks = [sprite.name for sprite in persona.sprites if sprite.usable]
    if not looks:
        return ""
    return f"To change your look, begin a line with `{name} (look): `. Your looks: {', '.join(looks)}."


def _emoji(emoji: Iterable[Emoji]) -> str:
    names = [f":{one.name}:" for one in emoji][:EMOJI_CAP]
    return f"Emoji of this server that you may use: {' '.join(names)}" if names else ""


def _answers(memories: Sequence[Memory], shown: frozenset[int]) -> str:
    recalled = [
        memory for memory in memories if not shown.intersection(memory.messages) and memory.text.strip()
    ]
    lines = [f"- {_short(memory.text, MEMORY_LENGTH)}" for memory in recalled]
    return "\n".join(["What you said elsewhere lately, the oldest first:", *lines]) if lines else ""


def _details(memories: Sequence[Memory]) -> str:
    """The notes that the model made in `<details>`; the oldest are left out if they are too long."""
    notes = [note.strip() for memory in memories for note in memory.details if note.strip()]
    # A note that was made again counts where it was made last.
    text = "\n\n".join(reversed(dict.fromkeys(reversed(notes))))
    if len(text) > DETAILS_LENGTH:
        text = "…" + text[-DETAILS_LENGTH:]
    return f"Notes that you made for yourself:\n{text}" if text else ""


def _short(text: str, length: int) -> str:
    words = " ".join(text.split())
    return words if len(words) <= length else words[: length - 1] + "…"

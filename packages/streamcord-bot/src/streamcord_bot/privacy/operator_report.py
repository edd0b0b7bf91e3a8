"""Write the report of `streamcord-bot privacy`: what a bot stores, how long, and who reads it.

Discord asks every app that reads messages what it stores, how long, and how users can delete it. The report is
generated from the bot's own configuration, so that it says what this bot does.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from streamcord.providers import PRESETS
from streamcord.store import MAX_CHANGES, MAX_MEMORIES, SPENDING_DAYS, TABLE_SOURCE_LIFETIME_S

from ..config import BotConfig


def describe_data(config: BotConfig) -> str:
    """Return the report as Markdown."""
    # Plain statements that an operator can paste into Discord's form and show to users.
    parts = [
        "# What this bot does with your data",
        "## What is stored",
        *_stored(config),
        "## For how long",
        *_kept(config),
        "## Who else reads it",
        *_readers(config),
        "## What is not done",
        "- Nothing is used to train a model by this bot, sold, or shown to other servers.",
        "- No passwords, tokens or payment data are asked for; keys are removed from answers.",
        "## How to see it and have it deleted",
        "- `/privacy show` says how much is stored about you, `/privacy export` sends you all of it as a file.",
        "- `/privacy forget` deletes it at once; with `from_now_on` no answer to you is remembered any more.",
        "- A message that is deleted on Discord is deleted here, too, with the answer that it belongs to.",
        "- `/memory clear` deletes the memories of a channel or server, for users who manage it.",
    ]
    # Blank lines around headings, as Markdown wants them.
    return "\n".join(f"\n{part}\n" if part.startswith("#") else part for part in parts).strip() + "\n"


def _stored(config: BotConfig) -> list[str]:
    place = (
        "a PostgreSQL database" if "://" in config.store else "a file that only the bot's account can read"
    )
    return [
        f"- Answers of the bot, the last {MAX_MEMORIES} of each persona in each channel, with the ids of their",
        "  messages and of the person who asked. Messages of people are read to answer them and not stored.",
        "- The source of tables, diagrams and formulas that are shown as pictures, for",
        f"  {TABLE_SOURCE_LIFETIME_S / 3600:.0f} hours, and under which name a persona's message was sent.",
        "- While an answer is being written: the text so far, so that it survives a restart, and the",
        "  ids of the questions; for a command also its question, the text of its file and Discord's token for",
        "  the reply. Who asked, where and when is kept for a day, so that no question is answered twice.",
        "- A question with buttons until it is answered, with the question that led to it; afterwards what was",
        "  decided, for 30 days. Private answers and their questions are not stored.",
        "- Settings and personas of servers, with their pictures.",
        f"- Who changed a setting or persona, which and when (the last {MAX_CHANGES} changes of a server).",
        f"- How much each person and server used on a day, as numbers, for {SPENDING_DAYS} days. A person is",
        "  stored under a pseudonym that changes every day and that only the bot's own key can link to them.",
        "- The ids of people who do not want to be remembered.",
        f"- All of it is in {place}.",
    ]


def _kept(config: BotConfig) -> list[str]:
    privacy = config.privacy
    age = f"for {privacy.days} days" if privacy.days else "until they are deleted by a command"
    lines = [f"- Answers and the record of changes are kept {age}."]
    if privacy.forget_left:
        lines.append("- When the bot leaves a server, everything of that server is deleted.")
    lines.append("- When a channel or thread is deleted, what belongs to it is deleted.")
    content = "words of messages" if config.log.text else "no words of messages, only ids and numbers"
    return [*lines, f"- Logs contain {content}."]


def _readers(config: BotConfig) -> list[str]:
    lines = [
        f"- To answer, the last messages of the channel (at most {config.context.messages}) are sent to "
        f"{_server(model.provider, model.base_url)}, model {model.model or model.name}."
        for model in config.models.values()
    ]
    # Only what this configuration really does is listed.
    if config.voice.model:
        lines.append(f"- Voice messages are sent to {_server('', config.voice.base_url)} to be transcribed.")
    if config.moderation.endpoint:
        checked = (("questions", config.moderation.questions), ("answers", config.moderation.answers))
        texts = " and ".join(name for name, is_checked in checked if is_checked)
        if texts:
            server = _server("", config.moderation.endpoint)
            lines.append(f"- The texts of {texts} are sent to {server} to be checked.")
    if config.thought_log:
        lines.append(
            "- The model's thoughts are posted in a channel that the operator of the bot has chosen."
        )
    return lines or ["- No one: no model is configured."]


def _server(provider: str, base_url: str) -> str:
    # Without an address of its own, a model is at the usual address of its provider.
    preset = PRESETS.get(provider)
    host = urlsplit(base_url or (preset.base_url if preset else "")).hostname or "a server"
    here = host in {"localhost", "127.0.0.1", "::1"}
    return "a server on the bot's own machine" if here else f"{provider} ({host})" if provider else host

"""`streamcord-bot check`: check everything that the bot needs to start, and report problems."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from streamcord import Message, SettingsError, StreamcordError, Table
from streamcord.providers import PRESETS
from streamcord.records import Align, Words
from streamcord.utils import draw_files, find_missing_letters, install_line

from ..config import BotConfig, ModelConfig, is_address
from ..config.trigger_words import find_silent_words
from .check_result import REQUEST_TIMEOUT_S, CheckResult
from .database_permissions import find_folder_fault
from .mcp_checks import check_server
from .model_checks import check_model
from .resource_limits import find_shortages, read_resources

__all__ = ["CheckResult", "check_model", "run_checks"]

API = "https://discord.com/api/v10"
REVIEWED = 10_000
"""People from whom on message content is reviewed every year, since 2026-06-10."""
INVITE = (
    "https://discord.com/oauth2/authorize?client_id={id}&scope=bot+applications.commands&permissions={bits}"
)

# https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
_ADMINISTRATOR = 1 << 3
_RIGHTS = {
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Embed Links": 1 << 14,
    "Attach Files": 1 << 15,
    "Read Message History": 1 << 16,
    "Manage Webhooks": 1 << 29,
    "Send Messages in Threads": 1 << 38,
}
# https://docs.discord.com/developers/resources/application#application-object-application-flags
_MESSAGE_CONTENT = 1 << 18 | 1 << 19


async def run_checks(config: BotConfig, *, online: bool = True) -> AsyncGenerator[CheckResult, None]:
    """Check one thing after the other; with `online=False` neither Discord nor the model is asked."""
    for finding in _check_here(config):
        yield finding
    # A missing setting was reported above; without it there is no service to ask.
    online = online and find_spec("aiohttp") is not None
    if config.token and online:
        async with aclosing(_ask_discord(config)) as findings:
            async for finding in findings:
                yield finding
    for model in config.models.values():
        yield await check_model(model, online=online)
    for server in config.tools.mcp.values():
        yield await check_server(server, online=online)
    yield await _open_store(config)


# --- This machine --------------------------------------------------------------------------------


def _check_here(config: BotConfig) -> list[CheckResult]:
    findings = [_find_extra(extra) for extra in _EXTRAS]
    name = config.discord.token_name
    if config.token:
        findings.append(CheckResult("token", ok=True, words=f"{name} is set"))
    else:
        advice = f"Copy it from discord.com/developers, Bot, Reset Token; then: export {name}=..."
        findings.append(CheckResult("token", ok=False, words=f"{name} is not set", advice=advice))
    if not config.models:
        advice = "Add a [models.main] with provider and model, or run `streamcord-bot init`."
        findings.append(CheckResult("model", ok=False, words="the file names no model", advice=advice))
    return [
        *findings,
        *_find_letters(),
        *_find_pictures(config),
        *_find_silent_words(config),
        *_find_prices(config),
        *(
            CheckResult("machine", ok=False, words=line)
            for line in find_shortages(read_resources(config.store))
        ),
    ]


class _Extra(NamedTuple):
    """Optional dependencies: a module of them, their name, and what does not work without them."""

    module: str
    name: str
    loss: str
    is_needed: bool = False
    of: str = "streamcord"


_EXTRAS = (
    _Extra("discord", "discord", "the bot cannot connect", is_needed=True),
    _Extra("aiohttp", "providers", "no model can be asked", is_needed=True),
    _Extra("PIL", "tables", "tables will be code blocks"),
    _Extra("mermaidx", "diagrams", "Mermaid diagrams will be code blocks"),
    _Extra("ziamath", "formulas", "large formulas will be code blocks"),
    _Extra("pypdf", "documents", "models that cannot read PDF files get none", of="streamcord-bot"),
)


def _find_extra(extra: _Extra) -> CheckResult:
    if find_spec(extra.module) is not None:
        return CheckResult("install", ok=True, words=f"{extra.name} is installed")
    words, line = f"{extra.name} is not installed: {extra.loss}", install_line(extra.name, of=extra.of)
    if extra.is_needed:
        return CheckResult("install", ok=False, words=words, advice=line)
    return CheckResult("install", ok=True, words=words, advice=f"If you want them: {line}")


def _find_letters() -> list[CheckResult]:
    """Letters that pictures of tables lack; tables with them are code blocks."""
    if find_spec("PIL") is None:
        return []
    return [
        CheckResult(
            "letters",
            ok=True,
            words=f"no letters of {missing.words} in pictures: such tables will be code blocks",
            advice=f"If you want them: {install_line(missing.extra)}",
        )
        for missing in find_missing_letters(_can_draw)
    ]


def _can_draw(text: str) -> bool:
    cell = (Words(text),)
    table = Table((cell,), ((cell,),), (Align.LEFT,), text)
    return bool(draw_files(Message("", files=(table,), fallback="-")).files)


def _find_pictures(config: BotConfig) -> list[CheckResult]:
    """Pictures that the file names and that could not be read."""
    folder = Path(config.file).parent
    named = [(one.name, one.picture) for one in config.personas]
    named += [(f"{one.name} ({look.name})", look.picture) for one in config.personas for look in one.sprites]
    return [
        CheckResult(
            "picture",
            ok=False,
            words=f"{picture} of {name} is not there, or no picture",
            advice=f"Put the file into {folder.resolve()}, or take the line out.",
        )
        for name, picture in named
        if picture and not is_address(picture)
    ]


def _find_silent_words(config: BotConfig) -> list[CheckResult]:
    """Names and trigger words that do not wake their persona."""
    personas = [one.persona() for one in config.personas]
    return [
        CheckResult(
            "words",
            ok=False,
            words=f"`{word}` does not wake {one.name}: "
            + (f"it wakes {owner}" if owner else "nearly every message contains it"),
            advice=f"Choose another word in [personas.{one.name}].",
        )
        for one in personas
        for word, owner in find_silent_words(one.name, personas).items()
    ]


def _find_prices(config: BotConfig) -> list[CheckResult]:
    """Models of others without prices, where money has a limit: whatever they say would cost nothing."""
    limits = [name for name in ("person", "server", "all") if getattr(config.budget, f"{name}_money")]
    free = [
        name
        for name, model in config.models.items()
        if not (config.price_of(model).input or config.price_of(model).output or _is_own(model))
    ]
    return [
        CheckResult(
            "budget",
            ok=False,
            words=f"{limits[0]}_money has a limit, but {name} has no price: it is never reached",
            advice=f"Add [models.{name}.price] with input and output, for a million tokens.",
        )
        for name in free
        if limits
    ]


def _is_own(model: ModelConfig) -> bool:
    """Whether the model runs on this machine, where tokens cost nothing."""
    preset = PRESETS.get(model.provider)
    host = urlsplit(model.base_url or (preset.base_url if preset else "")).hostname
    return host in {"localhost", "127.0.0.1", "::1"}


# --- Discord -------------------------------------------------------------------------------------


async def _ask_discord(config: BotConfig) -> AsyncGenerator[CheckResult, None]:
    api = f"{config.discord.server.rstrip('/')}/api/v10" if config.discord.server else API
    if config.discord.server and (why := _refuse_server(api)):
        advice = "See [discord] server in the file: the token was sent nowhere."
        yield CheckResult("token", ok=False, words=why, advice=advice)
        return
    try:
        own, application, guilds = await _read_discord(api, config.token)
    except _Refused as refused:
        yield refused.finding(config.discord.token_name)
        return
    yield CheckResult("token", ok=True, words=f"Discord knows it: {own['username']}")
    if not config.discord.message_content:
        yield CheckResult("intents", ok=True, words="no message content: mentions, replies and /ask only")
    elif int(application.get("flags", 0)) & _MESSAGE_CONTENT:
        yield CheckResult("intents", ok=True, words="message content is allowed")
    else:
        advice = "Turn on discord.com/developers, Bot, Privileged Gateway Intents, Message Content Intent."
        yield CheckResult("intents", ok=False, words="the bot may not read messages", advice=advice)
    invite = INVITE.format(id=application["id"], bits=sum(_RIGHTS.values()))
    if not guilds:
        yield CheckResult("servers", ok=False, words="the bot is on no server", advice=f"Invite it: {invite}")
    for guild in guilds:
        yield _check_rights(guild, invite)
    if config.discord.message_content:
        yield _count_people(guilds)


def _count_people(guilds: list[dict[str, Any]]) -> CheckResult:
    """How many people can see the bot: from a number on, Discord wants to review who reads messages."""
    people = sum(int(guild.get("approximate_member_count") or 0) for guild in guilds)
    words = f"about {people:,} can see the bot; Discord reviews message content from {REVIEWED:,} on"
    if people < REVIEWED:
        return CheckResult("people", ok=True, words=words)
    advice = (
        "Ask for the review in the developer portal (`streamcord-bot privacy` writes what it wants to know), "
        "or set message_content = false in [discord]."
    )
    return CheckResult("people", ok=False, words=words, advice=advice)


def _refuse_server(api: str) -> str:
    """Why the bot itself would not send its token to this address; nothing if it would."""
    try:
        from streamcord.discord import redirect_discord_py  # noqa: PLC0415  (discord.py is an extra)

        with redirect_discord_py(api, api, api):
            return ""
    except (ImportError, SettingsError, ValueError) as error:
        return str(error)


def _check_rights(guild: dict[str, Any], invite: str) -> CheckResult:
    granted = int(guild.get("permissions", 0))
    missing = [name for name, bit in _RIGHTS.items() if not granted & bit]
    if granted & _ADMINISTRATOR or not missing:
        return CheckResult("rights", ok=True, words=f"{guild['name']}: everything it needs")
    advice = f"Grant them in the server's settings, Roles; or invite it again: {invite}"
    return CheckResult(
        "rights", ok=False, words=f"{guild['name']}: lacks {', '.join(missing)}", advice=advice
    )


class _Refused(Exception):
    """Discord did not answer, or said no."""

    def __init__(self, status: int) -> None:
        self.status = status

    def finding(self, token_name: str) -> CheckResult:
        if self.status == 401:
            words, advice = (
                "Discord does not know this token",
                f"Reset it and put the new one into {token_name}.",
            )
        elif self.status:
            words, advice = f"Discord answered {self.status}", "Try again in a few minutes."
        else:
            words, advice = "Discord cannot be reached", "Check the network, a proxy, and [discord] server."
        return CheckResult("token", ok=False, words=words, advice=advice)


async def _read_discord(api: str, token: str) -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    import aiohttp  # noqa: PLC0415  (an extra)

    async def read(session: aiohttp.ClientSession, path: str) -> Any:  # noqa: ANN401  (JSON)
        async with session.get(f"{api}{path}", allow_redirects=False) as response:
            if response.status != 200:
                raise _Refused(response.status)
            return await response.json()

    headers = {"Authorization": f"Bot {token}", "User-Agent": "DiscordBot (streamcord, 1)"}
    timeout = aiohttp.ClientTimeout(total=REQUEST_TIMEOUT_S)
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
            return (
                await read(session, "/users/@me"),
                await read(session, "/applications/@me"),
                await read(session, "/users/@me/guilds?with_counts=true"),
            )
    except (aiohttp.ClientError, OSError, ValueError):
        # Without its cause: an error of a header would quote the token.
        raise _Refused(0) from None


# --- The database ----------------------------------------------------------------------------------------


async def _open_store(config: BotConfig) -> CheckResult:
    from streamcord.store import find_schema  # noqa: PLC0415  (the database is read here only)

    if fault := find_folder_fault(config.store):
        return CheckResult("database", ok=False, words=fault)
    try:
        # Only a look: opening it would change its schema, and the version that runs could not open it again.
        schema = await find_schema(config.store)
    except StreamcordError as error:
        advice = "See `store` in the file, or STREAMCORD_STORE in the environment."
        return CheckResult("database", ok=False, words=str(error), advice=advice)
    words = "it opens and is up to date"
    if schema is None:
        words = "it is created at the first start"
    elif schema.applied < schema.known:
        words = (
            f"schema {schema.applied}; `streamcord-bot run` brings it to {schema.known} "
            "and keeps a copy of a file first"
        )
    return CheckResult("database", ok=True, words=words)

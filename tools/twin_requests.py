"""Thousands of requests drawn from Discord's own description, sent to the twin and judged by the description.

    python tools/twin_requests.py [count] [seed]

Half fits the description: every response must fit it too. Half does not fit in one place: the twin must refuse it, in
the shape of Discord's errors. Where twin and description disagree about a body, the disagreement belongs to a class;
`tools/twin_requests.toml` says who is right about each and why. A class that is not judged is an error.
bench/reports/twin-requests.md keeps the table. Needs Discord's document beside the checkout, or `DISCORD_API`.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
import tomllib
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
from request_bodies import Bodies

from discord_twin import ApiDescription, ChannelType, Permission, Twin, TwinOptions
from discord_twin.openapi.description import Operation
from discord_twin.rest.routing import RouteTable
from discord_twin.routes.table import ALL_ROUTES
from discord_twin.state import guild_changes as changes
from discord_twin.state.models import Draft

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "bench" / "reports" / "twin-requests.md"
JUDGED = Path(__file__).with_suffix(".toml")
DOCUMENT = Path(os.environ.get("DISCORD_API", ROOT.parent / "shared" / "discord" / "openapi.json"))
REQUESTS_PER_TWIN = 40
"""After so many requests there is a new twin: what was deleted or filled up must not hide what follows."""
HEAD = """\
# Requests drawn from Discord's description

Printed by `python tools/twin_requests.py {count} {seed}`: {valid} requests that fit Discord's OpenAPI document of July 2026 and
{invalid} that do not fit in one place, over {operations} operations that the twin serves.

| | fits the description | does not fit |
|---|---|---|
| carried out (2xx) | {valid_ok} | {invalid_ok} |
| refused for the body (400) | {valid_bad} | {invalid_bad} |
| refused for something else (401 to 429) | {valid_else} | {invalid_else} |
| server errors or no answer | {valid_broken} | {invalid_broken} |
| responses that do not fit the description | {valid_violations} | {invalid_violations} |
| refusals without Discord's error shape | {valid_shapeless} | {invalid_shapeless} |

## Where twin and description disagree about a body

{disagreements} requests in {classes} classes. `*` is any part of a path.

| who is stricter | where | cases | example | judged |
|---|---|---|---|---|
"""


@dataclass
class Tally:
    """What became of one kind of requests."""

    statuses: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    shapeless: list[str] = field(default_factory=list)


class World:
    """A twin with something of everything that a path may name."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        state, guild = twin.state, twin.guild
        bob = twin.add_user("bob")
        message = state.post(twin.channel, twin.bot.user, _draft("a message of the bot"))
        poll = twin.users.ask(twin.channel, twin.user, "why?", ["a", "b"])
        twin.users.react(message, "👍", bob)
        other = state.add_role(guild, "helpers")
        hook = state.add_webhook(twin.channel, "hook", twin.bot.user)
        hooked = state.post(twin.channel, twin.bot.user, _draft("by a webhook"), webhook=hook)
        emoji = state.add_emoji(guild, "blob")
        sticker = changes.add_sticker(state, guild, "sticker")
        invite = changes.add_invite(state, guild, twin.channel, twin.user)
        self.command = command = {
            "id": "77",
            "application_id": str(twin.bot.id),
            "name": "ask",
            "description": "d",
            "type": 1,
            "version": "1",
            "default_member_permissions": None,
        }
        twin.bot.commands[77] = command
        state.guild_commands[twin.bot.id, guild.id] = {78: {**command, "id": "78", "guild_id": str(guild.id)}}
        forum = twin.add_channel("forum", ChannelType.FORUM)
        thread = twin.add_thread("thread")
        ids: dict[str, int | None] = {
            "guild_id": guild.id, "channel_id": twin.channel.id, "message_id": message.id, "user_id": bob.id,
            "role_id": other.id, "webhook_id": hook.id, "emoji_id": emoji.id, "sticker_id": sticker.id,
            "application_id": twin.bot.id, "command_id": 77, "overwrite_id": other.id, "target_id": bob.id,
            "recipient_id": bob.id, "parent_id": None, "id": bob.id, "answer_id": 1, "message": message.id,
            "role": other.id, "sticker": sticker.id, "user": bob.id, "thread_id": thread.id, "forum_id": forum.id,
            "poll_id": poll.id, "hooked_id": hooked.id, "system_channel_id": twin.channel.id,
        }  # fmt: skip
        self.ids = {name: str(value) for name, value in ids.items() if value is not None}
        self.words = {
            "webhook_token": hook.token, "emoji_name": "%F0%9F%91%8D", "invite_code": invite.code, "code": invite.code,
        }  # fmt: skip

    def repair(self) -> None:
        """Bring back who is gone: a request that finds nothing says little about its body."""
        twin, guild = self.twin, self.twin.guild
        bob = twin.state.users[int(self.ids["user_id"])]
        for user in (twin.bot.user, bob):
            guild.bans.pop(user.id, None)
            if user.id not in guild.members:
                twin.state.add_member(guild, user)
        for role_id in guild.members[twin.bot.user.id].role_ids:
            if role_id in guild.roles:
                guild.roles[role_id].permissions |= Permission.ADMINISTRATOR
                guild.roles[role_id].position = 10

    def path(self, operation: Operation, rng: random.Random) -> str:
        """Return the operation's path with ids of this twin."""
        self.repair()
        known = {**self.ids, **self.words}
        if operation.path.startswith("/interactions/"):
            # Other requests change and replace the other commands.
            self.twin.bot.commands[79] = {**self.command, "id": "79", "name": "own"}
            used = self.twin.slash("own")
            known |= {"interaction_id": str(used.id), "interaction_token": used.token}
        if operation.path.startswith("/webhooks/") and "messages" in operation.path:
            known["message_id"] = known["hooked_id"]
        if "/commands/" in operation.path and "{guild_id}" in operation.path:
            known["command_id"] = "78"
        if "polls" in operation.path:
            known["message_id"] = known["poll_id"]
        if "thread-members" in operation.path or (
            operation.path == "/channels/{channel_id}" and rng.random() < 0.3
        ):
            known["channel_id"] = known["thread_id"]
        return re.sub(r"\{(\w+)\}", lambda found: known.get(found[1], "1"), operation.path)


def _draft(text: str) -> Draft:
    return Draft(content=text)


@asynccontextmanager
async def world(seed: int) -> AsyncIterator[tuple[World, aiohttp.ClientSession]]:
    async with Twin(TwinOptions.without_limits(), seed=seed) as twin:
        headers = {"Authorization": f"Bot {twin.token}"}
        async with aiohttp.ClientSession(headers=headers) as session:
            yield World(twin), session


class Run:
    """Draws requests, sends them and keeps what became of them."""

    def __init__(self, count: int, seed: int) -> None:
        self.document = json.loads(DOCUMENT.read_bytes())
        self.description = ApiDescription(self.document)
        self.rng = random.Random(seed)
        table = RouteTable(ALL_ROUTES)
        served = [one for one in self.description.operations if table.find(one.method, _plain(one.path))]
        self.with_body = [one for one in served if one.request]
        self.without_body = [one for one in served if not one.request]
        self.count = count
        self.tallies = {"valid": Tally(), "invalid": Tally()}
        self.classes: Counter[tuple[str, str]] = Counter()
        self.examples: dict[tuple[str, str], str] = {}

    async def run(self) -> None:
        for kind in self.tallies:
            for start in range(0, self.count, REQUESTS_PER_TWIN):
                async with world(start) as (place, session):
                    bodies = Bodies(self.document, self.rng, place.ids)
                    for _ in range(min(REQUESTS_PER_TWIN, self.count - start)):
                        await self.one(kind, place, bodies, session)

    async def one(self, kind: str, place: World, bodies: Bodies, session: aiohttp.ClientSession) -> None:
        bare = kind == "valid" and self.rng.random() < 0.25
        operation = self.rng.choice(self.without_body if bare else self.with_body)
        body = None if bare else self._body(kind, operation, bodies)
        url = f"{place.twin.api_url}{place.path(operation, self.rng)}"
        tally = self.tallies[kind]
        where = f"{operation.method} {operation.path}"
        check = place.twin.check_against(self.description)
        try:
            sent = None if body is None else json.dumps(body)
            headers = {"Content-Type": "application/json"}
            async with session.request(operation.method, url, data=sent, headers=headers) as response:
                status, raw = response.status, await response.read()
        except aiohttp.ClientError as error:
            tally.statuses["broken"] += 1
            tally.violations.append(f"{where}: {error!r} for {json.dumps(body)[:300]}")
            return
        group = "ok" if status < 300 else "bad" if status == 400 else "else" if status < 500 else "broken"
        tally.statuses[group] += 1
        shown = json.dumps(body, ensure_ascii=False)
        if status >= 400 and not _is_error(raw):
            tally.shapeless.append(f"{where} {status}: {raw[:100]!r} for {shown[:300]}")
        responses = [one for one in check.violations if one.what != "request"]
        tally.violations += [f"{one} for {shown[:300]}" for one in responses]
        if group == "broken":
            tally.violations.append(f"{where} {status} for {shown[:300]}")
        if kind == "valid" and group == "bad" and not bare:
            for path, code in _refusals(raw):
                self._disagree("twin", f"{where} {path} {code}", shown)
        if kind == "invalid" and group == "ok":
            assert operation.request is not None
            for at, message in self.description.mismatches(operation.request, body):
                self._disagree("description", f"{where} {_general(at)} {_general_message(message)}", shown)

    def _body(self, kind: str, operation: Operation, bodies: Bodies) -> object:
        assert operation.request is not None
        schema = self.document["paths"][operation.path][operation.method.lower()]["requestBody"]["content"][
            "application/json"
        ]["schema"]
        for _ in range(200):
            body = bodies.draw(schema)
            if self.description.mismatches(operation.request, body):
                continue
            if kind == "valid":
                return body
            body = bodies.spoil(schema, body)
            if self.description.mismatches(operation.request, body):
                return body
        raise AssertionError(f"no {kind} body was drawn for {operation.method} {operation.path}")

    def _disagree(self, stricter: str, what: str, example: str) -> None:
        self.classes[stricter, what] += 1
        known = self.examples.get((stricter, what))
        if known is None or len(example) < len(known):
            self.examples[stricter, what] = example


def _plain(path: str) -> str:
    return re.sub(r"\{\w+\}", "1", path).lstrip("/")


def _is_error(raw: bytes) -> bool:
    try:
        found = json.loads(raw)
    except ValueError:
        return False
    return (
        isinstance(found, dict)
        and isinstance(found.get("code"), int)
        and isinstance(found.get("message"), str)
    )


def _refusals(raw: bytes) -> list[tuple[str, str]]:
    """Return where a body was refused, and with which code."""
    found = json.loads(raw)
    if "errors" not in found:
        return [("", str(found["code"]))]
    return sorted(set(_nested(found["errors"], "")))


def _nested(errors: object, at: str) -> list[tuple[str, str]]:
    if isinstance(errors, dict) and "_errors" in errors:
        return [(at, one["code"]) for one in errors["_errors"]]
    if not isinstance(errors, dict):
        return [(at, "?")]
    return [
        one
        for key, inner in errors.items()
        for one in _nested(inner, f"{at}/{'*' if key.isdecimal() else key}")
    ]


def _general(at: str) -> str:
    return re.sub(r"/\d+(?=/|$)", "/*", at)


def _general_message(message: str) -> str:
    """Return a message without the value that it is about."""
    found = re.search(r"(is not of types? .*|is (longer|shorter) than.*|is (less|greater) than.*|is a required property"
                      r"|is not one of|was expected|has more than.*|has less than.*|does not match.*|has non-unique.*"
                      r"|Additional properties.*)", message)  # fmt: skip
    if found is None:
        return message[:60]
    text = re.sub(r"\d+", "N", found[0])
    if "is a required property" in text:
        text = message[:80]
    return text[:80]


def judge(classes: Counter[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the verdict of each class that has one."""
    rows = tomllib.loads(JUDGED.read_text(encoding="utf-8")).get("judged", ())
    verdicts = {}
    for stricter, what in classes:
        for row in rows:
            if row["stricter"] == stricter and re.fullmatch(row["where"], what):
                verdicts[stricter, what] = f"{row['right']}: {row['why']}"
                break
    return verdicts


def main(count: int, seed: int) -> int:
    if not DOCUMENT.exists():
        print(f"skipped: Discord's document is not at {DOCUMENT.name}; set DISCORD_API to its path")
        return 0
    run = Run(count // 2, seed)
    asyncio.run(run.run())
    verdicts = judge(run.classes)
    values: dict[str, object] = {
        "count": count, "seed": seed, "operations": len(run.with_body) + len(run.without_body),
        "disagreements": sum(run.classes.values()), "classes": len(run.classes),
    }  # fmt: skip
    for kind, tally in run.tallies.items():
        values |= {
            kind: run.count,
            f"{kind}_violations": len(tally.violations),
            f"{kind}_shapeless": len(tally.shapeless),
        }
        values |= {f"{kind}_{group}": tally.statuses[group] for group in ("ok", "bad", "else", "broken")}
        for line in [*tally.violations, *tally.shapeless][:40]:
            print(line)
    rows = []
    for key, number in sorted(run.classes.items()):
        example = run.examples[key].replace("|", "\\|")[:90]
        rows.append(
            f"| {key[0]} | `{key[1]}` | {number} | `{example}` | {verdicts.get(key, '**not judged**')} |"
        )
    PAGE.write_text(HEAD.format(**values) + "\n".join(rows) + "\n", encoding="utf-8")
    print(json.dumps(values))
    unjudged = [
        f"{number:5} {key}  {run.examples[key][:200]}"
        for key, number in run.classes.most_common()
        if key not in verdicts
    ]
    print(f"not judged: {len(unjudged)}", *unjudged[:150], sep="\n")
    bad = [one for tally in run.tallies.values() for one in (*tally.violations, *tally.shapeless)]
    return int(bool(unjudged or bad))


if __name__ == "__main__":
    words = [int(one) for one in sys.argv[1:]]
    sys.exit(main(*(words or [20_000]), *([36] if len(words) < 2 else [])))

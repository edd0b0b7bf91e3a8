"""Thousands of generated bodies, judged by the twin's rules and by the validators of other libraries.

    python tools/twin_differential.py [count]

Judges: discord.js's builders (in `.clients/js`, see `tools/clients.py`), discord.py's app_commands and ui, hikari's
builders. Every disagreement belongs to a class; `JUDGED` says who is right about each and why. A class that is not
judged yet is printed and is an error. bench/reports/twin-judged.md keeps the table.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hikari
from discord import SelectOption, app_commands, ui

from discord_twin.validation import (
    commands as command_rules,
)
from discord_twin.validation import (
    components as component_rules,
)
from discord_twin.validation import (
    messages as message_rules,
)
from discord_twin.validation.schema import Field

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "bench/reports/twin-judged.md"
RULES: dict[str, Field] = {
    "embed": message_rules.EMBED,
    "button": component_rules.BUTTON,
    "select": component_rules.STRING_SELECT,
    "command": command_rules.SLASH_COMMAND,
}
GOOD: dict[str, dict[str, Any]] = {
    "embed": {"title": "t", "fields": [{"name": "n", "value": "v"}]},
    "button": {"type": 2, "style": 1, "label": "l", "custom_id": "c"},
    "select": {"type": 3, "custom_id": "c", "options": [{"label": "l", "value": "v"}]},
    "command": {"name": "n", "description": "d", "options": []},
}
LENGTHS = (0, 1, 2, 32, 33, 45, 80, 81, 100, 101, 150, 151, 256, 257, 1024, 1025, 2048, 2049, 4096, 4097)


def text(rng: random.Random) -> str:
    return rng.choice("xX1é猫") * rng.choice(LENGTHS)


def option(rng: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {"type": 3, "name": rng.choice(["a", "b", "c", text(rng)]), "description": "d"}
    if rng.random() < 0.5:
        made["required"] = rng.random() < 0.5
    if rng.random() < 0.3:
        count = rng.choice((1, 25, 26))
        made["choices"] = [{"name": f"c{number}", "value": "v"} for number in range(count)]
    return made


URLS = (
    "https://a.b/c",
    "http://a.b",
    "ftp://a.b",
    "attachment://a.png",
    "a.b",
    "discord://x/y",
    "https://a b.c",
    "",
)
CHANGES: dict[str, dict[str, Callable[[random.Random], Any]]] = {
    "embed": {
        "title": text,
        "description": text,
        "url": lambda rng: rng.choice(URLS),
        "color": lambda rng: rng.choice((0, 0xFFFFFF, 0x1000000, -1)),
        "footer": lambda rng: {"text": text(rng)},
        "author": lambda rng: {"name": text(rng)},
        "image": lambda rng: {"url": rng.choice(URLS)},
        "fields": lambda rng: [{"name": text(rng), "value": text(rng)}] * rng.choice((1, 25, 26)),
    },
    "button": {
        "style": lambda rng: rng.choice((1, 5, 6, 7)),
        "label": text,
        "custom_id": lambda rng: rng.choice((None, text(rng))),
        "url": lambda rng: rng.choice((None, *URLS)),
        "disabled": lambda rng: rng.random() < 0.5,
    },
    "select": {
        "custom_id": text,
        "placeholder": text,
        "min_values": lambda rng: rng.choice((-1, 0, 1, 25, 26)),
        "max_values": lambda rng: rng.choice((0, 1, 25, 26)),
        "options": lambda rng: [
            {"label": text(rng), "value": str(number)} for number in range(rng.choice((0, 1, 25, 26)))
        ],
    },
    "command": {
        "name": lambda rng: rng.choice(("ok", "UP", "two words", "größe", "日本語", text(rng))),
        "description": text,
        "options": lambda rng: [option(rng) for _ in range(rng.choice((0, 1, 2, 3, 26)))],
    },
}


def generate(count: int) -> list[tuple[str, dict[str, Any]]]:
    rng = random.Random(7)
    made = []
    for _ in range(count):
        kind = rng.choice(list(GOOD))
        names = rng.sample(list(CHANGES[kind]), rng.choice((1, 1, 2)))
        made.append((kind, {**GOOD[kind], **{name: CHANGES[kind][name](rng) for name in names}}))
    return made


def by_twin(kind: str, body: dict[str, Any]) -> list[str]:
    """The faults that the twin finds, as `field CODE`, without places in lists."""
    found = RULES[kind].validate(body, (), len)
    return [
        " ".join([*(one for one in problem.path if not one.isdecimal()), problem.code]) for problem in found
    ]


def by_discord_js(bodies: list[tuple[str, dict[str, Any]]]) -> list[str]:
    lines = "\n".join(json.dumps({"kind": kind, "body": body}) for kind, body in bodies)
    done = subprocess.run(
        ["node", str(ROOT / "tools" / "judge_bodies.mjs")], input=lines, capture_output=True, text=True,
        check=True, env={**os.environ, "PEER_MODULES": str(ROOT / ".clients" / "js")},
    )  # fmt: skip
    return done.stdout.splitlines()


def by_discord_py(kind: str, body: dict[str, Any]) -> str:
    """What discord.py checks before it sends: names of commands, counts of options."""
    try:
        if kind == "command":
            app_commands.commands.validate_name(body["name"])
        elif kind == "select":
            menu: ui.Select[Any] = ui.Select(options=[SelectOption(label="l") for _ in body["options"]])
            menu.add_option(label="x") if len(body["options"]) >= 25 else None
        else:
            return ""
    except ValueError as error:
        return str(error)
    return "ok"


def by_hikari(kind: str, body: dict[str, Any]) -> str:
    """What hikari checks before it sends: hardly anything, on purpose."""
    if kind != "command":
        return ""
    try:
        hikari.impl.SlashCommandBuilder(body["name"], body["description"])
    except ValueError as error:
        return str(error)
    return "ok"


DOCS = "https://docs.discord.com/developers"
OPTIONS = f"{DOCS}/interactions/application-commands#application-command-object-application-command-option-structure"
SELECT = f"{DOCS}/components/reference#string-select"
# What the twin refuses and a library takes: where Discord says that the twin is right.
JUDGED: dict[str, str] = {
    "button custom_id BUTTON_COMPONENT_CUSTOM_ID_REQUIRED": "https://github.com/nextcord/nextcord/pull/1254",
    "command description BASE_TYPE_BAD_LENGTH": f"{DOCS}/interactions/application-commands#application-command-object",
    "command description BASE_TYPE_REQUIRED": f"{DOCS}/interactions/application-commands#application-command-object",
    "command name APPLICATION_COMMAND_INVALID_NAME": "https://github.com/Garlic-Team/gcommands/issues/295",
    "command name BASE_TYPE_BAD_LENGTH": f"{DOCS}/interactions/application-commands#application-command-object",
    "command name BASE_TYPE_REQUIRED": f"{DOCS}/interactions/application-commands#application-command-object",
    "command options APPLICATION_COMMAND_OPTIONS_NAME_INVALID": OPTIONS,
    "command options APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID": "https://github.com/discord/discord-api-docs/issues/5615",
    "command options BASE_TYPE_MAX_LENGTH": OPTIONS,
    "command options choices BASE_TYPE_MAX_LENGTH": OPTIONS,
    "command options name APPLICATION_COMMAND_INVALID_NAME": OPTIONS,
    "command options name BASE_TYPE_BAD_LENGTH": OPTIONS,
    "command options name BASE_TYPE_REQUIRED": OPTIONS,
    "select custom_id BASE_TYPE_BAD_LENGTH": SELECT,
    "select custom_id BASE_TYPE_REQUIRED": SELECT,
    "select max_values NUMBER_TYPE_MAX": SELECT,
    "select max_values NUMBER_TYPE_MIN": SELECT,
    "select min_values NUMBER_TYPE_MAX": SELECT,
    "select min_values NUMBER_TYPE_MIN": SELECT,
    "select options BASE_TYPE_REQUIRED": SELECT,
    "select options label BASE_TYPE_BAD_LENGTH": SELECT,
    "select options label BASE_TYPE_REQUIRED": SELECT,
    "select placeholder BASE_TYPE_MAX_LENGTH": SELECT,
}
# What a library refuses and the twin takes, with the reason.
STRICTER = {
    "embed: Received one or more errors": "an empty title, description or name, or an empty address: Discord drops them",
}
HEAD = """\
# Where validators disagree

Generated bodies (embeds, buttons, selects, commands), judged by the twin and by what discord.js, discord.py and hikari
check before they send (`python tools/twin_differential.py`). The last run found a fault of the twin, since repaired:
the name of an embed's field may be empty, as its value may. Left are these; in each, Discord decides as the twin does.

| library | what | cases | source |
|---|---|---|---|
"""


def main(count: int) -> int:
    bodies = generate(count)
    verdicts = by_discord_js(bodies)
    classes: Counter[str] = Counter()
    samples: dict[str, str] = {}
    for (kind, body), js in zip(bodies, verdicts, strict=True):
        twin = by_twin(kind, body)
        for judge, said in (
            ("discord.js", js),
            ("discord.py", by_discord_py(kind, body)),
            ("hikari", by_hikari(kind, body)),
        ):
            if not said or (said == "ok") == (not twin):
                continue
            name = f"{judge} takes | {kind} {twin[0]}" if twin else f"{judge} refuses | {kind}: {said[:80]}"
            classes[name] += 1
            samples.setdefault(name, json.dumps(body, ensure_ascii=False)[:120])
    for name, number in classes.most_common():
        print(f"{number:5} {name}   {samples[name]}")
    agreed = count * 3 - sum(classes.values())
    print(
        f"{count} bodies, {len(classes)} classes of disagreement, {sum(classes.values())} cases; {agreed} agreed"
    )
    rows, open_ones = [], []
    for name, number in sorted(classes.items()):
        judge, _, what = name.partition(" | ")
        source = JUDGED.get(what) or STRICTER.get(what)
        rows.append(f"| {judge} | `{what}` | {number} | {source or 'not judged'} |")
        open_ones += [] if source else [name]
    PAGE.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    print("not judged:", open_ones or "none")
    return int(bool(open_ones))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000))

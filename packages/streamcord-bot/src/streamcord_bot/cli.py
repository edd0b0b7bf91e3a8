"""The command line `streamcord-bot`; commands import heavy modules when they run."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from streamcord import StreamcordError
from streamcord.utils import Command, Program, install_line, one_line

from . import __version__
from .demo import command as demo

if TYPE_CHECKING:
    from .ops.check import CheckResult

FILE = "streamcord.toml"

INIT_EXAMPLES = """\
  streamcord-bot init                               a few questions, then streamcord.toml
  streamcord-bot init --yes --provider ollama --model qwen3
"""
CHECK_EXAMPLES = """\
  streamcord-bot check                              is everything there that the bot needs?
  streamcord-bot check --offline                    without asking Discord or the model
"""
PRIVACY_EXAMPLES = """\
  streamcord-bot privacy > privacy.md               what the bot stores, for Discord's form and for people
"""
RUN_EXAMPLES = """\
  streamcord-bot run                                run the bot that streamcord.toml describes
  streamcord-bot run --role standby                 in a cluster: take over when another process dies
"""
BACKUP_EXAMPLES = """\
  streamcord-bot backup                             a checked copy of the database; the bot may keep running
  streamcord-bot backup /backups --keep 7           into that folder, where the seven newest stay
"""
TO_POSTGRES_EXAMPLES = """\
  STREAMCORD_STORE=postgresql://bot:password@host/name streamcord-bot to-postgres
"""
HEALTH_EXAMPLES = """\
  streamcord-bot health                             is the bot that runs here well? (for Docker and watchdogs)
"""

STATUS_EXAMPLES = """\
  streamcord-bot status                             processes, shards and answers of a cluster
"""


def add_init_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `init` takes."""
    _add_file(parser)
    parser.add_argument("--yes", action="store_true", help="ask nothing, take the defaults")
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    parser.add_argument("--provider", metavar="NAME", help="the default for that question")
    parser.add_argument("--model", metavar="NAME", help="the default for that question")
    parser.add_argument("--persona", metavar="NAME", help="the default for that question")
    parser.add_argument(
        "--kind",
        choices=["assistant", "persona"],
        help="what this bot is: an assistant sends one message that grows, a persona a message per sentence",
    )


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `check` takes."""
    _add_file(parser)
    parser.add_argument("--offline", action="store_true", help="ask neither Discord nor the model")


def add_status_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `status` takes."""
    _add_file(parser)


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` takes."""
    _add_file(parser)
    parser.add_argument(
        "--role",
        choices=["all", "gateway", "standby"],
        default="all",
        help="in a cluster: hear one's own shards and stand by for the others (all, the default), "
        "hear one's own only (gateway), or stand by only (standby)",
    )


def add_privacy_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `privacy` takes."""
    _add_file(parser)


def add_backup_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `backup` takes."""
    _add_file(parser)
    parser.add_argument(
        "to", nargs="?", default="", metavar="TO", help="a file or folder (default: beside the database)"
    )
    parser.add_argument(
        "--keep",
        type=int,
        default=0,
        metavar="N",
        help="delete older copies in that folder, except the N newest",
    )


def add_to_postgres_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `to-postgres` takes."""
    _add_file(parser)
    parser.add_argument(
        "--from", dest="source", default="", metavar="FILE", help="the SQLite file (default: that of the bot)"
    )


def add_health_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `health` takes."""
    _add_file(parser)


def _play_samples() -> None:
    """Show both kinds of bots, if someone watches."""
    from .ops.init_sample import play_samples  # noqa: PLC0415

    if sys.stdout.isatty():
        play_samples(lambda text: print(text, end="", flush=True), time.sleep)


def ask_line(question: str) -> str:
    """Ask a question; one that is longer than the terminal is wide is wrapped between words."""
    width = shutil.get_terminal_size().columns - 1
    *above, last = textwrap.wrap(question, width, break_on_hyphens=False) or [""]
    print(*above, sep="\n", end="\n" if above else "")
    # The line editor counts columns from the last line only.
    return input(f"{last} ")


def run_init(arguments: argparse.Namespace) -> int:
    """Ask the questions, write the file, print the next steps."""
    from .ops import init_wizard as init  # noqa: PLC0415  (not for every command)
    from .ops.database_permissions import find_folder_fault  # noqa: PLC0415

    path = Path(arguments.config)
    try:
        init.check_is_new(path, force=arguments.force)
        choices = init.default_choices(arguments.provider, arguments.model, arguments.persona, arguments.kind)
        if not arguments.yes:
            choices = init.ask_choices(ask_line, print, choices, _list_models, _play_samples)
        init.write_config(path, choices, force=arguments.force)
    except EOFError:
        print()  # the cursor is still behind the question
        return _fail("the answers ended early; nothing was written (--yes takes the defaults)")
    except StreamcordError as error:
        return _fail(str(error))
    except OSError as error:
        fault = find_folder_fault(str(path), "that file")
        return _fail(fault or f"cannot write {path}: {error.strerror}")
    print(init.next_steps(path, choices))
    return 0


def _list_models(provider: str, base_url: str) -> Sequence[str]:
    """Return the models that a provider offers; empty without its key, or if it does not answer."""
    from .config import ModelConfig  # noqa: PLC0415
    from .ops.model_checks import find_models  # noqa: PLC0415

    model = ModelConfig(provider=provider, base_url=base_url)
    key = os.environ.get(model.secret_name, "")
    # Without a key there is no secret that http could show.
    model = replace(model, allow_http=not key)
    if model.needs_key and not key:
        return ()
    return [one.name for one in asyncio.run(find_models(model, key))]


def run_check(arguments: argparse.Namespace) -> int:
    """Print all checks; returns 0 if the bot can start."""
    from .budget.limits import find_small_budgets  # noqa: PLC0415  (not for every command)
    from .config import load_config  # noqa: PLC0415
    from .ops.check import CheckResult, run_checks  # noqa: PLC0415
    from .personas.card_checks import check_cards  # noqa: PLC0415

    try:
        config = load_config(arguments.config)
    except StreamcordError as error:
        print(f"wrong  file       {error}")
        if not Path(arguments.config).exists():
            print("\nNext: streamcord-bot init")
        return 1
    print(f"ok     file       {arguments.config} is valid")

    async def report() -> list[CheckResult]:
        wrong: list[CheckResult] = []

        def show(result: CheckResult) -> None:
            print(_line(result), flush=True)
            wrong.extend([] if result.ok else [result])

        for result in check_cards(config):
            show(result)
        async for result in run_checks(config, online=not arguments.offline):
            show(result)
        for words in find_small_budgets(config):
            advice = "Raise it, or lower answer_tokens in [budget] or max_tokens of the model."
            show(CheckResult("budget", ok=False, words=words, advice=advice))
        return wrong

    wrong = asyncio.run(report())
    print(f"\n{_next_step(wrong, arguments.config)}")
    return 1 if wrong else 0


def _next_step(wrong: list[CheckResult], file: str) -> str:
    """What to do now."""
    chosen = "" if file == FILE else f" --config {file}"
    if not wrong:
        return f"No problems. Next: streamcord-bot run{chosen}"
    first = wrong[0]
    words = one_line(first.words)
    if first.advice:
        words = f"{words.removesuffix('.')}. {first.advice}"
    return f"{len(wrong)} to fix. Next: {words}"


def run_privacy(arguments: argparse.Namespace) -> int:
    """Print what the bot of a file does with people's data."""
    from .config import load_config  # noqa: PLC0415
    from .privacy.operator_report import describe_data  # noqa: PLC0415  (not for every command)

    try:
        print(describe_data(load_config(arguments.config)), end="")
    except StreamcordError as error:
        return _fail(str(error))
    return 0


def run_bot(arguments: argparse.Namespace) -> int:
    """Run the bot until Ctrl-C or a signal."""
    from .config import load_config  # noqa: PLC0415  (not for every command)
    from .ops.database_permissions import find_folder_fault  # noqa: PLC0415

    try:
        config = load_config(arguments.config)
    except StreamcordError as error:
        return _fail(str(error))
    if fault := find_folder_fault(config.store):
        return _fail(fault)
    if not config.token:
        return _fail(f"{config.discord.token_name} is not set; `streamcord-bot check` says more")
    if not config.models:
        return _fail("the file names no model; `streamcord-bot check` says more")
    try:
        from .run import run  # noqa: PLC0415  (discord.py is an extra)
    except ModuleNotFoundError as error:
        return _fail(f"the bot needs {error.name}: {install_line(of='streamcord-bot')}")
    return run(config, arguments.role)


def run_status(arguments: argparse.Namespace) -> int:
    """Print the processes of a cluster."""
    from .config import load_config  # noqa: PLC0415  (not for every command)

    try:
        config = load_config(arguments.config)
        if not config.cluster.url:
            # Before the import: it needs asyncpg, which a bot without a cluster need not have.
            return _fail(
                f"{config.file} has no [cluster]: this bot is one process. Try `streamcord-bot health`"
            )
        from .coordination.cluster.status import read_status  # noqa: PLC0415  (needs an extra)

        print(asyncio.run(read_status(config)))
    except (StreamcordError, ImportError) as error:
        return _fail(str(error))
    return 0


def run_backup(arguments: argparse.Namespace) -> int:
    """Copy the database of a bot, which may be running."""
    from .config import load_config  # noqa: PLC0415
    from .ops.backup import back_up, explain_postgres, prune  # noqa: PLC0415  (not for every command)

    try:
        store = load_config(arguments.config).store
        if store.startswith(("postgresql://", "postgres://")):
            print(explain_postgres(store))
            return 2
        if arguments.keep > 0 and arguments.to and not Path(arguments.to).is_dir():
            return _fail("--keep needs a folder that exists, not the name of a file")
        copy = back_up(store, arguments.to)
        removed = prune(copy, arguments.keep) if arguments.keep > 0 else []
    except StreamcordError as error:
        return _fail(str(error))
    print(f"{copy}: {copy.stat().st_size / 1e6:.1f} MB, checked.")
    if removed:
        print(f"Older copies deleted: {', '.join(one.name for one in removed)}.")
    print(
        f"To restore it: stop the bot, then cp {copy} {store} && rm -f {store}-wal {store}-shm {store}-write-ahead"
    )
    return 0


def run_to_postgres(arguments: argparse.Namespace) -> int:
    """Copy a SQLite file into the PostgreSQL database that the configuration names."""
    from .config import load_config  # noqa: PLC0415
    from .config.bot_config import DEFAULT_STORE  # noqa: PLC0415
    from .config.table_reader import STORE_NAME  # noqa: PLC0415
    from .ops.backup import name_of_postgres  # noqa: PLC0415  (not for every command)
    from .ops.copy_database import copy_to_postgres  # noqa: PLC0415

    try:
        url = load_config(arguments.config).store
        if not url.startswith(("postgresql://", "postgres://")):
            return _fail(f"{STORE_NAME} is not set to the address of a PostgreSQL database")
        others = {name: value for name, value in os.environ.items() if name != STORE_NAME}
        given = arguments.source or load_config(arguments.config, others).store
        # The file may name the new database already.
        source = DEFAULT_STORE if given == url else given
        counts = asyncio.run(copy_to_postgres(source, url))
    except (StreamcordError, ImportError) as error:
        return _fail(str(error))
    print(
        f"{source} is copied to {name_of_postgres(url)}: {len(counts)} tables, {sum(counts.values())} rows."
    )
    print(f"Next: streamcord-bot run, with the same {STORE_NAME}. Keep {source} until all is well.")
    return 0


def run_health(arguments: argparse.Namespace) -> int:
    """Ask a running bot how it is."""
    from .config import load_config  # noqa: PLC0415
    from .ops.health import ask_health  # noqa: PLC0415  (not for every command)

    try:
        config = load_config(arguments.config).log
        if not config.metrics_port:
            return _fail("no address to ask: set metrics_port in [log], or STREAMCORD_METRICS_PORT")
        well, words = ask_health(config)
    except StreamcordError as error:
        return _fail(str(error))
    print(one_line(words))
    return 0 if well else 1


def _line(result: CheckResult) -> str:
    mark = "ok   " if result.ok else "wrong"
    advice = f"\n{'':18}{result.advice}" if result.advice else ""
    # Names of servers and words of providers come from untrusted users.
    return f"{mark}  {result.subject:10} {one_line(result.words)}{advice}"


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", default=FILE, metavar="FILE", help=f"the configuration file (default {FILE})"
    )


def _fail(message: str) -> int:
    print(f"streamcord-bot: {message}", file=sys.stderr)
    return 2


COMMANDS = (
    Command(
        "demo",
        "talk to a persona on a local Discord: no token, no key, no account",
        demo.EXAMPLES,
        demo.add_arguments,
        demo.run,
    ),
    Command(
        "init",
        "ask a few questions and write the bot's configuration",
        INIT_EXAMPLES,
        add_init_arguments,
        run_init,
    ),
    Command(
        "check",
        "check everything that the bot needs to run",
        CHECK_EXAMPLES,
        add_check_arguments,
        run_check,
    ),
    Command("run", "run the bot", RUN_EXAMPLES, add_run_arguments, run_bot),
    Command(
        "backup",
        "copy the whole database while the bot runs",
        BACKUP_EXAMPLES,
        add_backup_arguments,
        run_backup,
    ),
    Command(
        "to-postgres",
        "copy a SQLite database into PostgreSQL",
        TO_POSTGRES_EXAMPLES,
        add_to_postgres_arguments,
        run_to_postgres,
    ),
    Command(
        "health",
        "ask the bot that runs here whether it is well",
        HEALTH_EXAMPLES,
        add_health_arguments,
        run_health,
    ),
    Command(
        "privacy",
        "write down what the bot stores, for how long, and how people have it deleted",
        PRIVACY_EXAMPLES,
        add_privacy_arguments,
        run_privacy,
    ),
    Command(
        "status",
        "show the processes of a cluster: who listens where, and how late they are",
        STATUS_EXAMPLES,
        add_status_arguments,
        run_status,
    ),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    program = Program("streamcord-bot", "A persona and assistant bot for Discord.", __version__, COMMANDS)
    return program.main(argv)

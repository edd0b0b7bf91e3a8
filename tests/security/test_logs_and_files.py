"""Logs, files and `check` hold nothing that should not be read: no forged lines, no words, no keys."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.models import Model
from bot.stage import make_config, on_stage
from streamcord import SettingsError, StreamcordError
from streamcord._common.log_format import LogLines
from streamcord._providers.error_mapping import parse_error_payload, to_error
from streamcord.store import Memory, Place, open_store
from streamcord.testing import record
from streamcord_bot.cli import main
from streamcord_bot.config import read_config

ROOT = Path(__file__).parents[2]
KEY = "zq8Kd0-mysecretkey_77LxP"
HOSTILE = f"my ex Ann\n2026-11-16 10:00:00 INFO root: all is well\x1b[2J\x1b[31m {KEY}"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the bot's own way of logging writes, down to the last detail."""
    root, lines = logging.getLogger(), io.StringIO()
    before = root.handlers[:], root.level
    handler = logging.StreamHandler(lines)
    handler.setFormatter(LogLines([KEY]))
    root.handlers[:], root.level = [handler], logging.DEBUG
    yield lines
    root.handlers[:], root.level = before


@pytest.mark.parametrize("status", [400, 401, 429, 500])
async def test_what_a_provider_complains_about_is_not_quoted(status: int, written: io.StringIO) -> None:
    complaint = parse_error_payload(
        {"error": {"message": HOSTILE, "type": "rate_limit_error", "code": HOSTILE}}
    )
    assert complaint is not None
    model = Model([to_error(complaint, status)])
    async with on_stage(model, config=make_config()) as stage:
        stage.ask("hello")
        await model.called(1)
        await stage.quiet()

    log = written.getvalue()
    assert "The provider answered" in log
    assert "rate_limit_error" in log
    assert [word for word in ("Ann", KEY, "\x1b") if word in log] == []
    assert all(" streamcord" in line or " discord" in line or " asyncio" in line for line in log.splitlines())


async def test_an_error_that_nobody_foresaw_is_one_line_without_words(written: io.StringIO) -> None:
    model = Model([ValueError(HOSTILE)])
    async with on_stage(model, config=make_config()) as stage:
        stage.ask("hello")
        await model.called(1)
        await stage.quiet()

    (line,) = [
        line
        for line in written.getvalue().splitlines()
        if "unexpected error" in line and "ValueError" in line
    ]
    assert "models.py" in line
    assert "Ann" not in line


def modes(folder: Path, pattern: str) -> set[str]:
    return {oct(path.stat().st_mode & 0o777) for path in folder.glob(pattern)}


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
def test_nobody_but_the_owner_reads_database_and_recordings(tmp_path: Path) -> None:
    async def run() -> None:
        old = os.umask(0)
        try:
            (tmp_path / "old.db").touch(0o644)
            for name in ("new.db", "old.db"):
                async with await open_store(tmp_path / name) as store:
                    await store.remember(Memory("Luna", Place(1, 2), "hi", (3,)))
                    assert modes(tmp_path, f"{name}*") == {"0o600"}
            async for _ in record(_says("hi"), tmp_path / "a.rec"):
                pass
        finally:
            os.umask(old)
        assert modes(tmp_path, "a.rec") == {"0o600"}

    asyncio.run(run())


async def _says(text: str) -> AsyncIterator[str]:
    yield text


@pytest.mark.parametrize(
    "pasted", ["sk-proj-aB3dE5gH7jK9mN1pQ2", KEY, "AKIAIOSFODNN7EXAMPLE", "0123456789abcdef0123456789abcdef"]
)
def test_a_key_in_the_place_of_its_name_is_not_printed(
    pasted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "streamcord.toml"
    for table in (
        f'[models.main]\nmodel = "m"\nkey_name = "{pasted}"',
        f'[discord]\ntoken_name = "{pasted}"',
    ):
        file.write_text(table, encoding="utf-8")
        assert main(["check", "--offline", "--config", str(file)]) == 1
        printed = capsys.readouterr()
        assert "never the key itself" in printed.out
        assert pasted not in printed.out + printed.err


def test_what_the_process_holds_is_known_and_never_shown() -> None:
    config = read_config(
        {"models": {"main": {"provider": "openai", "model": "m"}}},
        {
            "DISCORD_TOKEN": "t" * 30,
            "OPENAI_API_KEY": KEY,
            "STREAMCORD_STORE": "postgresql://u:p%40ssw0rd!@h/d",
        },
    )

    assert config.secrets == ("t" * 30, KEY, "p@ssw0rd!", "p%40ssw0rd!")
    assert not any(secret in repr(config) for secret in config.secrets)
    assert not any(secret in repr(config.settings_for()) for secret in config.secrets)


def test_errors_about_settings_and_files_are_streamcords() -> None:
    with pytest.raises(SettingsError) as caught:
        read_config({"models": {"main": {"key_name": KEY}}}, {})
    assert isinstance(caught.value, StreamcordError)
    assert KEY not in str(caught.value)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout")
@pytest.mark.parametrize(
    "name",
    ["prod.env", ".env", "streamcord.db", "streamcord.db-wal", "streamcord.db-write-ahead", "talk.rec"],
)
def test_files_with_secrets_are_not_committed_by_accident(name: str) -> None:
    assert subprocess.run(["git", "check-ignore", "-q", name], cwd=ROOT, check=False).returncode == 0

"""What operators copy: ready files for ten providers, compose.yaml, the systemd unit, a sample of secrets."""

from __future__ import annotations

import configparser
import re
import tomllib
from pathlib import Path

import pytest
from aiohttp import web

from providers.loopback import serving
from streamcord import TextDelta
from streamcord.providers import PRESETS, user
from streamcord_bot.cli import COMMANDS
from streamcord_bot.config import build_provider, load_config, read_config
from streamcord_bot.ops.init_wizard import default_choices

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "deploy" / "models").glob("*.toml"))
FIXTURES = Path(__file__).parent / "providers" / "fixtures"
COMPOSE = (ROOT / "compose.yaml").read_text(encoding="utf-8")
UNIT = (ROOT / "deploy" / "streamcord.service").read_text(encoding="utf-8")
ENV = (ROOT / ".env.example").read_text(encoding="utf-8")
# Dialect of each provider, the end of the address that it is asked at, and where the key stands.
CHAT = ("openai", "/chat/completions", "Authorization")
DIALECTS = {
    "anthropic": ("anthropic", "/messages", "x-api-key"),
    "google": ("google", ":streamGenerateContent?alt=sse", "x-goog-api-key"),
    "xai": ("openai-responses", "/responses", "Authorization"),
}
WANTED = {
    *("ollama", "lmstudio", "openrouter", "openai", "anthropic"),
    *("google", "groq", "mistral", "xai", "deepseek"),
}


def test_there_is_a_ready_file_for_every_provider_that_people_ask_for() -> None:
    assert {file.stem for file in FILES} == WANTED


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_a_ready_file_asks_its_provider_as_its_servers_want_it(file: Path) -> None:
    """Asked for real, of a server on loopback that answers as the provider's own documents say."""
    preset = PRESETS[file.stem]
    dialect, path, header = DIALECTS.get(file.stem, CHAT)
    environment = {"DISCORD_TOKEN": "t", **({preset.key_name: "the-key"} if preset.key_name else {})}
    config = load_config(file, environment)
    model = config.model()
    assert model.provider == file.stem
    assert model.model == default_choices(file.stem, None, None).model
    assert model.needs_key is bool(preset.key_name)
    assert [persona.name for persona in config.personas] == ["Luna"]

    body = (FIXTURES / dialect / "text.sse").read_bytes()

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="text/event-stream")

    async with serving(answer) as server:
        table = {"provider": model.provider, "model": model.model, "base_url": server.url}
        local = read_config({"models": {"main": table}}, environment).model()
        async with build_provider(local) as provider:
            said = [event async for event in provider.stream(user("Hi"))]
        (request,) = server.requests

    assert "".join(event.text for event in said if isinstance(event, TextDelta)).strip()
    assert path in str(request.rel_url)
    assert model.model in str(request.rel_url) or server.bodies[0]["model"] == model.model
    # A local server needs no key, and gets none.
    assert ("the-key" in request.headers.get(header, "")) is bool(preset.key_name)


@pytest.mark.parametrize("name", ["ollama", "lmstudio"])
async def test_a_model_on_the_host_of_a_container_may_be_asked_without_encryption(name: str) -> None:
    text = (ROOT / "deploy" / "models" / f"{name}.toml").read_text(encoding="utf-8")
    opened = text.replace("# base_url", "base_url").replace("# allow_http", "allow_http")
    model = read_config(tomllib.loads(opened), {}).model()

    async with build_provider(model):
        assert model.base_url.startswith("http://host.docker.internal:")
    assert "host.docker.internal:host-gateway" in COMPOSE


def test_compose_uses_the_image_a_volume_and_keeps_the_metrics_to_the_host() -> None:
    assert "build: ." in COMPOSE
    assert "- data:/data" in COMPOSE
    assert re.search(r'"127\.0\.0\.1:(\d+):\1"', COMPOSE)
    assert 'STREAMCORD_METRICS_HOST: "0.0.0.0"' in COMPOSE
    used = set(re.findall(r"docker compose (?:run --rm|exec) bot(?: streamcord-bot)? (\w+)", COMPOSE))
    assert used == {"init", "check", "backup"}
    assert used <= {command.name for command in COMMANDS}


def test_compose_is_yaml() -> None:
    yaml = pytest.importorskip("yaml", reason="pip install pyyaml")
    bot = yaml.safe_load(COMPOSE)["services"]["bot"]

    assert bot["env_file"] == ".env"
    assert bot["cap_drop"] == ["ALL"]
    assert bot["read_only"] is True


def test_two_bots_and_their_database_share_one_address() -> None:
    text = (ROOT / "compose.cluster.yaml").read_text(encoding="utf-8")
    yaml = pytest.importorskip("yaml", reason="pip install pyyaml")
    services = yaml.safe_load(text)["services"]

    assert services["bot"] == services["spare"]
    assert services["bot"]["environment"]["STREAMCORD_STORE"].endswith("@db/streamcord")
    assert "ports" not in services["db"], "nobody else needs the database"
    assert services["bot"]["cap_drop"] == ["ALL"]
    used = set(re.findall(r"(?:run --rm|exec) bot(?: streamcord-bot)? (\w+)", text))
    assert used <= {command.name for command in COMMANDS}
    assert re.search(r"streamcord-bot\[[\w,]*\bpostgres\b", (ROOT / "Dockerfile").read_text(encoding="utf-8"))


def test_the_image_says_whether_it_is_well() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    assert re.search(r'HEALTHCHECK .*\n +CMD \["streamcord-bot", "health"', dockerfile)
    assert "STREAMCORD_METRICS_PORT=9100" in dockerfile
    assert "STREAMCORD_METRICS_HOST=" not in dockerfile.replace("STREAMCORD_METRICS_HOST=0.0.0.0 opens", "")


def test_the_unit_runs_the_bot_as_a_user_of_its_own_and_does_not_insist() -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[method-assign,assignment]
    unit.read_string(UNIT)
    service = unit["Service"]

    assert service["User"] not in {"root", ""}
    assert service["ExecStart"].split()[:2] == ["/opt/streamcord/bin/streamcord-bot", "run"]
    assert service["WorkingDirectory"] in service["ReadWritePaths"]
    assert service["Restart"] == "on-failure"
    assert unit["Unit"]["After"] == "network-online.target"


def test_the_timer_makes_backups_where_the_bot_may_write_and_keeps_some() -> None:
    units = {}
    for name in ("streamcord-backup.service", "streamcord-backup.timer"):
        units[name] = configparser.ConfigParser(interpolation=None, strict=False)
        units[name].read_string((ROOT / "deploy" / name).read_text(encoding="utf-8"))
    service = units["streamcord-backup.service"]["Service"]
    program, *words = service["ExecStart"].split()

    assert program == "/opt/streamcord/bin/streamcord-bot"
    assert service["Type"] == "oneshot"
    assert words[0] == "backup"
    assert words[1].startswith(f"{service['ReadWritePaths']}/")
    assert words[2:] == ["--keep", "7"]
    assert units["streamcord-backup.timer"]["Timer"]["OnCalendar"] == "daily"


def test_the_sample_of_secrets_names_what_is_read_and_holds_none() -> None:
    names = re.findall(r"^#?([A-Z_]+)=(.*)$", ENV, re.MULTILINE)
    read = {"DISCORD_TOKEN", "STREAMCORD_STORE", *(preset.key_name for preset in PRESETS.values())}

    assert {name for name, _ in names} <= read
    assert {PRESETS[name].key_name for name in WANTED} - {""} <= {name for name, _ in names}
    assert [value for name, value in names if value and name != "STREAMCORD_STORE"] == []

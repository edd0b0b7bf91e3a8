from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from streamcord import Degree, SettingsError, TextDelta
from streamcord.providers import user
from streamcord_bot.config import BotConfig, load_config, open_providers, read_config

FULL = """
locale = "de"
store = "bot.db"
thought_log = "123456789012345678"

[discord]
token_name = "MY_TOKEN"
shard_count = 2

[answer]
channels = [42, "43"]
words = ["moon"]
debounce = 2

[context]
source = "replies"
tokens = 2000

[tools]
enabled = ["roll_dice"]
timeout = 30

[log]
level = "debug"
metrics_port = 9100

[settings]
degree = "light"
message_length = 1000

[models.main]
provider = "openai"
model = "gpt-5-mini"
fallback = ["spare"]
[models.main.options]
temperature = 0.7
stop = ["END"]
[models.main.settings]
degree = 3
starts_in_thought = true

[models.spare]
provider = "ollama"
model = "qwen3"

[personas.luna]
name = "Luna"
prompt = "You are Luna."
words = ["moon cat"]
model = "spare"
[[personas.luna.sprites]]
name = "happy"
picture = "luna-happy.png"

[personas.Orbit]
alter = true
"""
SECRETS = {"MY_TOKEN": " token-of-bot \n", "OPENAI_API_KEY": "sk-secret"}


def written(folder: Path, text: str) -> Path:
    path = folder / "streamcord.toml"
    path.write_text(text, encoding="utf-8")
    return path


def wrong(folder: Path, text: str, environment: dict[str, str] | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        load_config(written(folder, text), environment or {})
    message = str(caught.value)
    assert "streamcord.toml" in message
    return message.partition("streamcord.toml: ")[2]


def test_a_full_file_is_read(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, FULL), SECRETS)

    assert (config.locale, config.store, config.thought_log) == ("de", "bot.db", 123456789012345678)
    assert (config.token, config.discord.shard_count) == ("token-of-bot", 2)
    assert (config.answer.channels, config.answer.debounce) == ((42, 43), 2.0)
    assert config.context.source == "replies"
    assert (config.tools.enabled, config.tools.limits.timeout) == (("roll_dice",), 30)
    assert config.log.metrics_port == 9100
    assert [persona.name for persona in config.personas] == ["Luna", "Orbit"]
    assert config.personas[0].persona().sprites[0].avatar == "luna-happy.png"
    assert not config.personas[0].persona().sprites[0].usable  # no such file is there
    assert config.personas[1].persona().alter


def test_a_model_overrides_any_setting_and_the_others_keep_the_common_ones(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, FULL), SECRETS)

    assert config.settings_for("main").degree is Degree.HEAVY
    assert config.settings_for("main").message_length == 1000
    assert config.settings_for("main").starts_in_thought
    assert config.settings_for("spare").degree is Degree.LIGHT
    assert config.settings_for() == config.settings_for("main")
    assert config.model("main").options.stop == ("END",)
    assert config.model() is config.model("main")


# Keys of development versions, which had other names; nothing was ever released with them.
@pytest.mark.parametrize(
    ("section", "old"),
    [
        ("settings", "hold_length = 3"),
        ("settings", 'fences = "meant"'),
        ("settings", "typing_floor = 1.0"),
        ("settings", 'copied_looks = "all"'),
        ("settings", 'blocked = "stop"'),
        ("settings", "adapt = true"),
        ("answer", "gather = 2.0"),
        ("answer", "bot_rounds = 2"),
        ("access", 'open_to = "all"'),
        ("durability", "power_loss = true"),
        ("cluster", "life = 10.0"),
    ],
)
def test_file_with_an_old_key_is_refused_in_one_line(tmp_path: Path, section: str, old: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_config(written(tmp_path, f"[{section}]\n{old}"), SECRETS)

    message = str(caught.value)
    assert f"{section} has no key '{old.split(' ', maxsplit=1)[0]}': " in message
    assert "\n" not in message
    assert len(message) < 400


def test_an_empty_file_is_all_defaults(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, ""), {})

    assert config == BotConfig(file=str(tmp_path / "streamcord.toml"), settings={"details": "memory"})
    assert config.token == ""
    assert config.settings_for().degree is Degree.MEDIUM


def test_secrets_come_from_the_environment_and_are_never_shown(tmp_path: Path) -> None:
    environment = {**SECRETS, "STREAMCORD_STORE": "postgresql://me:hush@localhost/bot"}
    config = load_config(written(tmp_path, FULL), environment)

    assert config.model("main").key == "sk-secret"
    assert config.store == "postgresql://me:hush@localhost/bot"
    assert not any(secret in repr(config) for secret in ("token-of-bot", "sk-secret", "hush"))


@pytest.mark.parametrize("key", ["token", "api_key", "key", "Password"])
def test_a_secret_in_the_file_is_refused_and_not_quoted(tmp_path: Path, key: str) -> None:
    message = wrong(tmp_path, f'[models.main]\n{key} = "sk-live-1234"')

    assert message.startswith(f"models.main.{key} must be left out")
    assert "environment" in message
    assert "sk-live" not in message


def test_a_password_in_the_address_of_the_store_is_refused_and_not_quoted(tmp_path: Path) -> None:
    message = wrong(tmp_path, 'store = "postgresql://me:hush@db/bot"')

    assert "STREAMCORD_STORE" in message
    assert "hush" not in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("fruit = 1", "the file has no key 'fruit': there are locale, "),
        ("[anwser]", "the file has no key 'anwser': did you mean answer?"),
        ("[answer]\nword = ['a']", "answer has no key 'word': did you mean words?"),
        ("[answer]\nwords = 'a'", "answer.words must be a list of texts, not 'a'"),
        (
            "[answer]\nchannels = ['x']",
            "answer.channels must be a list of ids, such as [\"123456789012345678\"], not ['x']",
        ),
        ("[answer]\nmentions = 1", "answer.mentions must be true or false, not 1"),
        ("[answer]\ndebounce = -1", "answer.debounce must be a number from 0 to 60, not -1"),
        ("[context]\nsource = 'all'", "context.source must be history or replies, not 'all'"),
        ("[tools]\ntimeout = 0", "tools.timeout must be more than 0, not 0"),
        ("[log]\nmetrics_port = 70000", "log.metrics_port must be a whole number from 0 to 65535, not 70000"),
        ("[settings]\ndegree = 9", "settings.degree must be 0 to 3, or NONE, LIGHT, MEDIUM, HEAVY"),
        ("[settings]\ndegre = 1", "settings has no key 'degre': did you mean degree?"),
        ("[models.a]\nprovider = 'gpt'", "models.a.provider must be one of openai, "),
        ("[models.a]\nfallback = ['b']", "models.a.fallback must be names of models: a, not 'b'"),
        (
            "[models.a.options]\ntemperature = -1",
            "models.a.options.temperature must be from 0 to 100, not -1",
        ),
        ("[models.a.settings]\ntyping = 'x'", "models.a.settings.typing must be auto or on or off"),
        ("[models]\na = 1", "models.a must be a table, as in [models.main], not 1"),
        ("[personas.a]\nmodel = 'm'\n[models.b]", "personas.a.model must be one of b, not 'm'"),
        ("[personas.a]\nname = ' '", "personas.a.persona.name must be a name with at least one letter"),
        ("models = 3", "models must be a table, not 3"),
        ("discord = 3", "discord must be a table, not 3"),
        ("store = 3", "store must be a text, not 3"),
        ("[answer", "the file must be TOML: "),
        ("[model]", "the file has no key 'model': did you mean models?"),
        ("fruit = 1", "the file has no key 'fruit': there are locale, store, thought_log, discord, answer, "),
        ("degree = 1", "the file has no key 'degree': it belongs into [settings]"),
        ("[answer]\ndegree = 1", "answer has no key 'degree': it belongs into [settings]"),
        (
            "[models.a]\ntemperature = 1",
            "models.a has no key 'temperature': it belongs into [models.NAME.options]",
        ),
        (
            "[models.a.options]\nmodel = 'x'",
            "models.a.options has no key 'model': it belongs into [models.NAME] or",
        ),
        (
            "[personas.a]\nmodel = 'm'",
            "personas.a.model must be a name of [models], of which there are none, not 'm'",
        ),
        ("personas = {a = 1}", "personas.a must be a table, as in [personas.main], not 1"),
        ("locale = 'xx'", "locale must be one of en, de, es, fr, ja, ko, pt, ru, zh, not 'xx'"),
        (
            "[discord]\nserver = '127.0.0.1:8765'",
            "discord.server must be an address such as http://127.0.0.1:8765, not",
        ),
        (
            "[discord]\nserver = 'ftp://127.0.0.2.example'",
            "discord.server must be an address such as http://",
        ),
        (
            "[discord]\ntest_guild = 'home'",
            "discord.test_guild must be an id, such as 123456789012345678, or 0 for none",
        ),
        ("[budget]\nall_money = -1", "budget.all_money must be a number from 0 to 1000000000, not -1"),
        (
            "[moderation]\nendpoint = 'localhost'",
            "moderation.endpoint must be an address like https://host/v1",
        ),
        ("[moderation]\nendpoint = 'https://a/v1'\nmodel = 5", "moderation.model must be a text, not 5"),
        (
            "[servers.maximum]\nmessage_cup = 3",
            "servers.maximum has no key 'message_cup': did you mean message_cap?",
        ),
        (
            "[servers]\nmay_change = ['looks']",
            "servers.may_change must be names of settings, or look, limits, answer, context (did",
        ),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(tmp_path: Path, text: str, told: str) -> None:
    assert wrong(tmp_path, text).startswith(told)


def test_settings_that_are_wrong_only_together_are_found_when_the_file_is_read(tmp_path: Path) -> None:
    text = "[settings]\npause_min = 1.0\n[models.a.settings]\npause_max = 0.5"

    assert wrong(tmp_path, text).startswith("models.a.settings.pause_max must be at least pause_min")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("[models.a]\nprovider = “openai”", "straight quotes"),
        ("[answer]\nmentions = True", "true and false in lower case"),
        ('store = "C:\\Users\\me.db"', "write a backslash twice"),
        ("[answer]\n[answer]", "Cannot declare ('answer',) twice"),
    ],
)
def test_the_commonest_slips_in_toml_are_explained(tmp_path: Path, text: str, advice: str) -> None:
    assert advice in wrong(tmp_path, text)


def test_a_mark_that_an_editor_puts_in_front_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "streamcord.toml").write_bytes("\ufefflocale = 'de-AT'".encode())

    assert load_config(tmp_path / "streamcord.toml", {}).locale == "de-AT"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"the file must be readable \(Is a directory\)"):
        load_config(tmp_path, {})


def test_a_missing_file_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="streamcord-bot init"):
        load_config(tmp_path / "none.toml", {})


def test_a_file_that_is_not_text_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "streamcord.toml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(SettingsError, match="UTF-8: save it again"):
        load_config(tmp_path / "streamcord.toml", {})


ANSWER = (
    b'data: {"choices":[{"delta":{"content":"hello"}}]}\n\n'
    b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


async def test_the_fallback_answers_where_the_first_cannot_and_each_has_its_own_key() -> None:
    asked: list[tuple[str, str, str]] = []

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append((request.path, body["model"], request.headers.get("Authorization", "")))
        if body["model"] == "broken":
            return web.json_response({"error": {"message": "no such model"}}, status=404)
        return web.Response(body=ANSWER, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    async with TestServer(app) as server:
        base = str(server.make_url("/v1"))
        config = read_config(
            {
                "models": {
                    "main": {
                        "provider": "custom",
                        "model": "broken",
                        "base_url": base,
                        "fallback": ["spare"],
                    },
                    "spare": {
                        "provider": "custom",
                        "model": "good",
                        "base_url": base,
                        "key_name": "SPARE_KEY",
                    },
                }
            },
            {"SPARE_KEY": "sk-spare"},
        )
        async with open_providers(config) as providers:
            words = [event async for event in providers["main"].stream(user("hi"))]

    assert TextDelta("hello") in words
    assert [model for _, model, _ in asked] == ["broken", "good"]
    assert [key for _, _, key in asked] == ["", "Bearer sk-spare"]

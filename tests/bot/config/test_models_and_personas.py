from __future__ import annotations

from pathlib import Path

import pytest

from streamcord import SettingsError
from streamcord_bot.config import ContextConfig, ModelConfig, load_config
from streamcord_bot.demo.guild import AVATARS, draw_avatar


@pytest.mark.parametrize(
    ("model", "name", "needed"),
    [
        (ModelConfig(provider="openai"), "OPENAI_API_KEY", True),
        (ModelConfig(provider="openai", base_url="http://127.0.0.1:1/v1"), "OPENAI_API_KEY", False),
        (ModelConfig(provider="ollama"), "STREAMCORD_API_KEY", False),
        (ModelConfig(provider="custom", key_name="MINE"), "MINE", True),
    ],
)
def test_the_key_of_a_model(model: ModelConfig, name: str, needed: bool) -> None:
    assert (model.secret_name, model.needs_key) == (name, needed)


def test_a_budget_that_holds_nothing_is_refused() -> None:
    with pytest.raises(SettingsError, match="tokens must be a whole number from 64"):
        ContextConfig(tokens=1)


FILE = """
[personas.Luna]
picture = "luna.png"
[[personas.Luna.sprites]]
name = "mad"
picture = "mad.png"
[[personas.Luna.sprites]]
name = "far"
picture = "https://example.com/a.png"
[[personas.Luna.sprites]]
name = "plain"
"""


@pytest.mark.parametrize("content", [None, b"", b"not a picture", "folder"])
def test_pictures_are_read_and_what_is_none_is_not_used(tmp_path: Path, content: bytes | str | None) -> None:
    (tmp_path / "bot.toml").write_text(FILE, encoding="utf-8")
    (tmp_path / "luna.png").write_bytes(draw_avatar(AVATARS["luna"]))
    if content == "folder":
        (tmp_path / "mad.png").mkdir()
    elif isinstance(content, bytes):
        (tmp_path / "mad.png").write_bytes(content)

    config = load_config(tmp_path / "bot.toml", {})
    luna = config.personas[0].persona()

    assert luna.avatar is not None
    assert luna.avatar.startswith("data:image/png;base64,")
    assert [(look.name, look.usable) for look in luna.sprites] == [
        ("mad", False),
        ("far", True),
        ("plain", True),
    ]
    assert len(repr(config)) < 5000

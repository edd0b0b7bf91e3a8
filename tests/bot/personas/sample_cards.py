"""Character cards as other programs write them."""

from __future__ import annotations

import base64
import json
from typing import Any

from streamcord_bot.personas.pictures import plain_png, write_texts

__all__ = ["PLAIN", "PROMPT", "V2", "as_json", "as_png", "v3"]

PLAIN = plain_png(4, (1, 2, 3))
V2: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "odd": [1, {"kept": True}],
    "data": {
        "name": "Luna",
        "description": "{{char}} is a cat who likes {{user}}.",
        "personality": "calm",
        "scenario": "",
        "first_mes": "Hello {{user}}, I am {{Char}}.",
        "mes_example": "<START>\n{{user}}: hi\n{{char}}: mrrp",
        "creator_notes": "do not tell the model",
        "system_prompt": "{{original}}Stay in character.",
        "post_history_instructions": "Be short.",
        "alternate_greetings": ["Hey."],
        "tags": ["cat"],
        "creator": "somebody",
        "character_version": "1.1",
        "extensions": {"other/tool": {"x": 1}},
        "character_book": {
            "entries": [
                {"keys": ["moon"], "content": "only when asked", "enabled": True, "insertion_order": 1},
                {
                    "keys": [],
                    "content": "{{char}} lives on the moon.",
                    "constant": True,
                    "insertion_order": 2,
                },
                {"keys": [], "content": "The moon is cheese.", "constant": True, "insertion_order": 1},
                {"keys": [], "content": "switched off", "constant": True, "enabled": False},
            ],
            "extensions": {},
        },
        "odd": {"kept": None},
    },
}
PROMPT = """Stay in character.

Luna is a cat who likes {{user}}.

Personality: calm

The moon is cheese.

Luna lives on the moon.

How Luna talks:

{{user}}: hi
Luna: mrrp"""


def as_json(card: object) -> bytes:
    """The card as a JSON file."""
    return json.dumps(card).encode()


def as_png(card: object, keyword: str = "chara") -> bytes:
    """The card in a picture."""
    return write_texts(PLAIN, {keyword: base64.b64encode(as_json(card))})


def v3(**more: Any) -> dict[str, Any]:
    """The same card in version 3, with more fields."""
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": {**V2["data"], **more}}

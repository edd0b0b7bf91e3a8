"""A scripted group role play: three imported cards in one channel, with sprites, lore, greetings and macros."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from typing import Any

from bot.models import Model, asked
from bot.stage import Stage
from discord_twin import Message, User
from streamcord.providers import Prompt
from streamcord_bot.personas.pictures import plain_png, write_texts

SERAPHINE, ISOLDE, MARA = "Seraphine", "Captain Isolde Marrow", "Mara"
_COLOURS = {"base": (90, 120, 200), "happy": (240, 190, 60), "mad": (200, 60, 60), "sly": (110, 60, 160)}
# Everything that the card specification and other programs have.
MACROS = (
    "{{user}} {{char}} <USER> <BOT> {{random:tea,tea}} {{pick:rum,rum}} {{roll:1d1}} {{reverse:nus}} "
    "{{// nobody sees this}}{{time}} {{date}} {{weekday}} {{Char}}"
)


def picture(look: str) -> bytes:
    """A plain picture for a sprite."""
    return plain_png(64, _COLOURS[look])


def _card(name: str, greeting: str, about: str, entries: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    book = {"entries": [{"enabled": True, **one} for one in entries], "extensions": {}}
    fields = {
        "name": name,
        "description": f"I am {name}. {about} {MACROS}",
        "personality": "curious",
        "scenario": "{{user}} enters a tavern.",
        "first_mes": greeting,
        "mes_example": "<START>\n{{user}}: hi\n{{char}}: Well, {{user}}!",
        "alternate_greetings": [f"Again you, {{{{user}}}}? {MACROS}"],
        "character_book": book,
        "extensions": {},
        **more,
    }
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": fields}


def _emotions(*names: str, uri: str) -> list[dict[str, str]]:
    return [
        {
            "type": "emotion",
            "name": name,
            "ext": "png",
            "uri": uri.format(name=name, data=base64.b64encode(picture(name)).decode()),
        }
        for name in names
    ]


def seraphine_png() -> bytes:
    """A card in a picture, without sprites of its own."""
    lore = [{"keys": ["tower"], "content": "{{char}} built the tower for {{user}}."}]
    card = _card(SERAPHINE, f"*{{{{char}}}} looks up.* Oh, {{{{user}}}}! {MACROS}", "A star smith.", lore)
    text = base64.b64encode(json.dumps(card).encode()).decode()
    return write_texts(picture("base"), {"ccv3": text.encode(), "chara": text.encode()})


def isolde_json() -> bytes:
    """A card as JSON, with sprites inside and a key that is a regular expression."""
    lore = [{"keys": [r"/hone?y\s+cake/i"], "content": "{{char}} steals honey cakes.", "use_regex": True}]
    assets = _emotions("mad", "happy", uri="data:image/png;base64,{data}")
    return json.dumps(
        _card(ISOLDE, "{{random:Ahoy,Ahoy}}, {{user}}.", "A pirate.", lore, assets=assets)
    ).encode()


def mara_charx() -> bytes:
    """A card in an archive beside its pictures."""
    lore = [{"keys": ["moon"], "content": "The moon is {{char}}'s home."}]
    assets = [
        *_emotions("sly", uri="embeded://assets/emotion/{name}.png"),
        {"type": "icon", "name": "main", "uri": "embeded://assets/icon/main.png", "ext": "png"},
    ]
    card = _card(MARA, "Hm. {{user}}. {{roll:1d1}}", "A witch.", lore, assets=assets)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("card.json", json.dumps(card))
        archive.writestr("assets/emotion/sly.png", picture("sly"))
        archive.writestr("assets/icon/main.png", picture("base"))
    return packed.getvalue()


CARDS = {"seraphine.png": seraphine_png, "isolde.json": isolde_json, "mara.charx": mara_charx}

ANSWERS = {
    "what do you think": "Isolde (mad): Rum is dear, {{user}}.\nHonest work is dearer.",
    "are you sure": "Captain Isolde Marrow (happy): As sure as the tide.",
    "who stole": "Mara (sly): Nobody saw me.\nalice: I saw you!",
    "everybody": "{{char}}: I am here.",
}
"""What the model writes, by what it is asked."""


def answer(prompt: Prompt) -> list[str]:
    """Write what the script has for a question."""
    question = [line for line in asked(prompt).splitlines() if line.startswith(("alice", "bob"))][-1]
    return [
        next((text for words, text in ANSWERS.items() if words in question), f"{persona_of(prompt)}: Yes.")
    ]


def persona_of(prompt: Prompt) -> str:
    """Return whose prompt this is."""
    found = re.search(r"I am ([A-Z][\w ]+)\.", prompt.system)
    assert found is not None, prompt.system
    return found[1]


async def play(stage: Stage) -> None:
    """Import the cards and play the scene."""
    twin = stage.twin
    bob = twin.add_user("bob")
    for name, make in CARDS.items():
        await _use(stage, "persona import", file=(name, make()))
    await _use(stage, "persona switch", name=SERAPHINE)
    await _say(stage, twin.user, "Isolde, what do you think of that tower?")
    isolde = _last(stage, "Honest work is dearer")
    await _say(stage, bob, "are you sure about the HONY  CAKE?", reply_to=isolde)
    await _say(stage, twin.user, "Mara, who stole the HONY  CAKE under the moon?")
    await _say(stage, bob, "Seraphine, Mara: is everybody here?")
    await _use(stage, "persona switch", name=ISOLDE)
    await _use(stage, "persona greet", number=2)


def _last(stage: Stage, words: str) -> Message:
    return next(one for one in reversed(stage.said()) if words in one.content)


async def _say(stage: Stage, person: User, text: str, **more: Any) -> None:
    before = len(stage.said())
    stage.twin.say(stage.twin.channel, person, text, **more)
    await stage.twin.until(lambda: len(stage.said()) > before)
    await stage.quiet()


async def _use(stage: Stage, command: str, **options: object) -> None:
    used = stage.twin.slash(command, **options)
    await stage.twin.until(lambda: used.original is not None and used.original.content)
    await stage.quiet()


def role_play_model() -> Model:
    """The model of the scene."""
    return Model(answer)

"""A group role play with three imported cards: who says what, with which picture, and no macro unfilled."""

from __future__ import annotations

from bot.role_play import ISOLDE, MARA, SERAPHINE, persona_of, play, role_play_model
from bot.stage import make_config, on_stage
from discord_twin import Message
from streamcord.providers import Prompt, Text


def everything_in(prompt: Prompt) -> str:
    parts = [part.text for message in prompt.messages for part in message.parts if isinstance(part, Text)]
    return "\n".join([prompt.system, *parts])


def words(message: Message) -> tuple[str, str]:
    return message.shown_name, message.content


async def test_three_cards_play_in_one_channel_without_an_unfilled_macro() -> None:
    model = role_play_model()
    async with on_stage(model, config=make_config(answer={"debounce": 0.0})) as stage:
        await play(stage)
        said = [one for one in stage.said() if one.webhook is not None]
        everything = [one.content for one in stage.twin.channel.messages.values()]

    assert [words(one) for one in said[1:9]] == [
        (ISOLDE, "Ahoy, alice."),
        (f"{ISOLDE} (mad)", "Rum is dear, alice."),
        (f"{ISOLDE} (mad)", "Honest work is dearer."),
        (ISOLDE, "As sure as the tide."),
        (MARA, "Hm. alice. 1"),
        (f"{MARA} (sly)", "Nobody saw me."),
        (SERAPHINE, "I am here."),
        (MARA, "I am here."),
    ]
    # Discord joins messages of one name under one picture: a look directly after another one has its own name.
    # Greetings, of `/persona switch` and of `/persona greet`.
    assert words(said[0])[1].startswith(
        "*Seraphine looks up.* Oh, alice! alice Seraphine alice Seraphine tea rum 1 sun "
    )
    assert words(said[-1])[1].startswith("Again you, alice?")
    # Each look has a picture of its own.
    looks = [one.draft.avatar_url for one in said]
    assert len({looks[1], looks[2], looks[4], looks[5], looks[6]}) == 5
    assert looks[2] == looks[3]

    assert [persona_of(prompt) for prompt in model.prompts] == [ISOLDE, ISOLDE, MARA, SERAPHINE, MARA]
    assert "{{" not in "\n".join(everything)
    assert "{{" not in "\n".join(map(everything_in, model.prompts))
    # A key that is an expression, and one that is a word; no lore of others.
    assert ["steals honey cakes" in everything_in(one) for one in model.prompts] == [
        False,
        True,
        False,
        False,
        False,
    ]
    assert "The moon is Mara's home." in everything_in(model.prompts[2])
    assert "built the tower" not in everything_in(model.prompts[0])

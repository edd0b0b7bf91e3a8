from __future__ import annotations

from delivery.stage import on_stage
from delivery.voices import LUNA, insist, words
from streamcord import Message, Speaker
from streamcord._discord.webhooks.appearance import Card, Costume, NameAndAvatar
from streamcord._discord.webhooks.webhooks import Webhooks
from virtual import timeless


def test_the_usual_look_is_the_speakers_own() -> None:
    assert NameAndAvatar().dress(Message("Hi."), LUNA) == Costume("Luna", "Hi.", LUNA.avatar)


@timeless
async def test_a_card_shows_the_speaker_at_its_head() -> None:
    async with on_stage() as stage:
        await insist(Webhooks(look=Card("The stage")), stage.find(), words("Hi."))
        (message,) = stage.sent
        (card,) = message.draft.embeds

        assert (message.shown_name, message.content) == ("The stage", "")
        assert (card["author"]["name"], card["author"]["icon_url"]) == ("Luna", LUNA.avatar)
        assert card["description"] == "Hi."


def test_a_card_without_words_or_with_too_many_is_none() -> None:
    card = Card("The stage")

    assert card.dress(Message(""), LUNA).embeds == ()
    assert card.dress(Message("x" * 4097), LUNA).content == "x" * 4097
    assert card.dress(Message("x"), Speaker("y" * 300)).embeds[0]["author"] == {"name": "y" * 256}


@timeless
async def test_a_look_of_ones_own_is_made_safe() -> None:
    class Loud:
        def dress(self, message: Message, speaker: Speaker) -> Costume:
            return Costume(f"Discord {speaker.name}", message.content.upper(), "file:///etc/passwd")

    async with on_stage() as stage:
        await insist(Webhooks(look=Loud()), stage.find(), words("Hi."))
        (message,) = stage.sent

        assert (message.content, message.draft.avatar_url) == ("HI.", None)

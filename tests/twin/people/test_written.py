from __future__ import annotations

from streamcord._twin.image_files import plain_png
from streamcord._twin.people.written import make_attachment, with_mentions
from streamcord._twin.state.model import Draft
from streamcord.twin import Twin


async def test_files_have_their_kinds(twin: Twin) -> None:
    picture = make_attachment(twin.world, "a b.bin", plain_png(1, side=7))
    voice = make_attachment(twin.world, "v.ogg", b"OggS", duration=1.5)

    assert (picture.filename, picture.content_type, picture.width) == ("a_b.bin", "image/png", 7)
    assert (voice.content_type, voice.duration, bool(voice.waveform)) == ("audio/ogg", 1.5, True)
    assert make_attachment(twin.world, "a.json", b"{}").content_type == "application/json"


async def test_a_reply_mentions_whom_it_answers(twin: Twin) -> None:
    bob = twin.person("bob")
    draft = with_mentions(twin.world, twin.channel, Draft("hi <@1>", reply_to=bob.say("question")))

    assert draft.mentions == (bob.user.id,)

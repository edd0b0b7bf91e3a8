from __future__ import annotations

from streamcord._twin.people.resolved import Resolved
from streamcord.twin import Twin


async def test_a_user_of_the_server_is_a_member_too(twin: Twin) -> None:
    here, dm = Resolved(twin.world, twin.channel, twin.user), Resolved(twin.world, twin.dm(), twin.user)
    stranger = twin.state.add_user("stranger")
    for resolved in (here, dm):
        resolved.add(twin.user)
        resolved.add(stranger)

    assert set(here.shape["users"]) == {str(twin.user.id), str(stranger.id)}
    assert set(here.shape["members"]) == {str(twin.user.id)}
    assert "members" not in dm.shape


async def test_a_channel_says_what_the_person_may_do_there(twin: Twin) -> None:
    resolved = Resolved(twin.world, twin.channel, twin.user)
    resolved.add(twin.channel)

    assert int(resolved.shape["channels"][str(twin.channel.id)]["permissions"]) > 1 << 50


async def test_a_file_is_served_before_it_has_a_message(twin: Twin) -> None:
    resolved = Resolved(twin.world, twin.channel, twin.user)
    made = resolved.add_file("a.txt", b"x")

    assert resolved.shape["attachments"][made]["ephemeral"] is True
    assert twin.state.uploads[int(made)].content == b"x"

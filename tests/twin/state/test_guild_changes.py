from __future__ import annotations

from streamcord._twin.state import guild_changes as changes
from streamcord.twin import Event, Twin


def test_each_change_is_told() -> None:
    twin, events = Twin(), list[Event]()
    state, guild, bob = twin.state, twin.guild, twin.add_user("bob")
    role = state.add_role(guild, "r")
    guild.members[bob.id].role_ids.append(role.id)
    state.observe(events.append)

    changes.change_role(state, guild, role)
    changes.delete_role(state, guild, role)
    changes.change_member(state, guild, guild.members[bob.id])
    changes.ban(state, guild, bob, "spam")
    changes.unban(state, guild, bob)
    changes.remove_member(state, guild, bob)
    invite = changes.add_invite(state, guild, twin.channel, twin.user, max_uses=1)
    changes.delete_invite(state, guild, invite)
    changes.tell_emojis(state, guild)
    changes.add_sticker(state, guild, "cat")

    assert [one.name for one in events] == [
        "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_UPDATE", "GUILD_BAN_ADD",
        "GUILD_MEMBER_REMOVE", "GUILD_BAN_REMOVE", "INVITE_CREATE", "INVITE_DELETE", "GUILD_EMOJIS_UPDATE",
        "GUILD_STICKERS_UPDATE",
    ]  # fmt: skip
    assert events[2].payload["roles"] == []


def test_the_audit_log_keeps_what_was_given() -> None:
    twin = Twin()
    changes.note(twin.state, twin.guild, twin.user, 22, 7, reason="spam", nothing=None)
    (entry,) = twin.guild.audit

    assert {name: entry[name] for name in entry if name != "id"} == {
        "user_id": str(twin.user.id), "action_type": 22, "target_id": "7", "reason": "spam",
    }  # fmt: skip

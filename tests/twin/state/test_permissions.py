from __future__ import annotations

import pytest

from discord_twin.clock import DrivenClock
from discord_twin.state.models import Overwrite
from discord_twin.state.permissions import ALL, NONE, Permission
from discord_twin.state.state import State

SEND, VIEW = Permission.SEND_MESSAGES, Permission.VIEW_CHANNEL


class World:
    def __init__(self) -> None:
        self.clock = DrivenClock()
        self.state = State(self.clock.now)
        self.owner, self.member = self.state.add_user("owner"), self.state.add_user("member")
        self.guild = self.state.add_guild("guild", self.owner)
        self.role = self.state.add_role(self.guild, "role")
        self.state.add_member(self.guild, self.member, [self.role])
        self.channel = self.state.add_channel(self.guild, "channel")

    def may(self, permission: Permission) -> bool:
        return bool(self.state.permissions(self.member, self.channel) & permission)


@pytest.fixture
def world() -> World:
    return World()


def test_the_owner_may_everything(world: World) -> None:
    assert world.state.permissions(world.owner, world.channel) == ALL


def test_a_stranger_may_nothing(world: World) -> None:
    assert world.state.permissions(world.state.add_user("stranger"), world.channel) == NONE


def test_roles_add_up(world: World) -> None:
    assert not world.may(Permission.MANAGE_MESSAGES)
    world.role.permissions = Permission.MANAGE_MESSAGES
    assert world.may(Permission.MANAGE_MESSAGES | SEND)


def test_an_administrator_is_not_held_by_overwrites(world: World) -> None:
    world.role.permissions = Permission.ADMINISTRATOR
    world.state.overwrite(world.channel, world.member, deny=ALL)

    assert world.may(SEND)


def test_overwrites_count_from_everyone_over_roles_to_the_member(world: World) -> None:
    world.channel.overwrites[world.guild.id] = Overwrite(deny=SEND)
    assert not world.may(SEND)
    world.state.overwrite(world.channel, world.role, allow=SEND)
    assert world.may(SEND)
    world.state.overwrite(world.channel, world.member, deny=SEND)
    assert not world.may(SEND)


def test_what_cannot_be_seen_cannot_be_used(world: World) -> None:
    world.state.overwrite(world.channel, world.member, deny=VIEW)

    assert world.state.permissions(world.member, world.channel) == NONE


def test_a_time_out_leaves_reading_and_ends(world: World) -> None:
    member = world.guild.members[world.member.id]
    member.timed_out_until = world.clock.now() + 60
    assert not world.may(SEND)
    assert world.may(VIEW)
    world.clock.jump(61)
    assert world.may(SEND)


def test_a_thread_has_the_permissions_of_its_parent(world: World) -> None:
    thread = world.state.add_thread(world.channel, "thread", world.owner)
    world.state.overwrite(thread, world.member, deny=VIEW)

    assert world.state.permissions(world.member, thread) == NONE
    assert not world.may(VIEW)


def test_a_role_that_is_gone_grants_nothing(world: World) -> None:
    del world.guild.roles[world.role.id]

    assert world.may(SEND)

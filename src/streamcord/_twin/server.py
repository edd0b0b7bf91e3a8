"""A Discord on loopback: start it, point a client at it, act as people, read what happened.

    async with Twin() as twin:
        twin.say(twin.channel, twin.user, "hello")
        message = await twin.next_message(twin.channel)

It binds to 127.0.0.1 only and refuses requests whose `Host` is not a loopback name, so that no page in a
browser can reach it by rebinding a name.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from aiohttp import web

from .cdn import Cdn
from .clock import Clock, RealClock
from .faults import Fault, FaultKind
from .gateway import Gateway
from .people import People
from .people.acting_person import ActingPerson
from .rest import Rest
from .state.message_shapes import group_messages
from .state.model import ChannelType, Message
from .switches import Switches
from .world import Mailbox, World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from types import TracebackType

    from .faults import Faults
    from .log import Log
    from .rest.rate_limits import Limiter
    from .state import State
    from .state.model import Channel, Interaction, User

__all__ = ["BOT_ID", "Twin", "serve"]

BOT_ID = 100_000_000_000_000_001
"""The id of every twin's bot, so that its token, too, is the same in every run."""

_LOGGER = logging.getLogger(__name__)
_Found = TypeVar("_Found")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_VERSIONS = ("v10/", "v9/")


class Twin:
    """One local Discord with a guild, a channel, a person and a bot, ready to be driven."""

    def __init__(
        self,
        switches: Switches | None = None,
        *,
        clock: Clock | None = None,
        faults: Iterable[Fault] = (),
        seed: int = 0,
    ) -> None:
        self.world = World(clock or RealClock(), switches or Switches(), seed)
        for fault in faults:
            self.world.faults.add(fault)
        self.gateway = self.world.gateway = Gateway(self.world)
        self.people = People(self.world)
        state = self.world.state
        self.user = state.add_user("alice")
        self.bot = state.add_application("streamcord", self.user, BOT_ID)
        self.guild = state.add_guild("Twin", self.user)
        state.add_member(self.guild, self.bot.user)
        self.channel = state.add_channel(self.guild, "general")
        self._mailbox = Mailbox()
        state.observe(self._mailbox.tell)
        self.world.on_change = self._mailbox.ring
        self.world.go_dark = self._go_dark_for
        self._darkness: asyncio.Task[None] | None = None
        self._rest, self._cdn = Rest(self.world), Cdn(self.world)
        self._mounted: dict[str, Callable[[web.BaseRequest, str], Awaitable[web.StreamResponse]]] = {}
        self._server: web.Server | None = None
        self._listener: asyncio.Server | None = None
        self.port = 0

    # Starting and stopping

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1."""
        loop = asyncio.get_running_loop()
        self._server = self._server or web.Server(self._answer, access_log=None, lingering_time=1.0)
        self._listener = await loop.create_server(self._server, "127.0.0.1", port)
        self.port = self._listener.sockets[0].getsockname()[1]
        self.world.state.cdn_url = self.cdn_url
        self.gateway.url = self.gateway_url
        self._mailbox.ring()

    async def go_dark(self) -> None:
        """Refuse connections and close the open ones, until `come_back`."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self.close_connections()

    async def come_back(self) -> None:
        """Listen again on the same port."""
        await self.start(self.port)

    def _go_dark_for(self, seconds: float) -> None:
        async def pass_through() -> None:
            await self.go_dark()
            await self.clock.sleep(seconds)
            await self.come_back()

        self._darkness = asyncio.create_task(pass_through())

    def close_connections(self) -> None:
        """Close every connection now, also those that are idle: a client may be writing to one just then."""
        for connection in self._server.connections if self._server else ():
            if connection.transport is not None:
                connection.transport.abort()

    async def stop(self) -> None:
        """Close everything."""
        if self._darkness is not None:
            self._darkness.cancel()
            await asyncio.gather(self._darkness, return_exceptions=True)
        self.gateway.drop(1001)
        await asyncio.sleep(0)
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        if self._server is not None:
            self._server.pre_shutdown()
            await self._server.shutdown(1.0)
            self._server = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def is_listening(self) -> bool:
        """Whether connections are taken."""
        return self._listener is not None

    # Addresses

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:port`; the API is below `/api/v10`."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        """The base of REST v10."""
        return f"{self.base_url}/api/v10"

    @property
    def cdn_url(self) -> str:
        """Where files and avatars are."""
        return f"{self.base_url}/cdn"

    @property
    def gateway_url(self) -> str:
        """Where the gateway is."""
        return f"ws://127.0.0.1:{self.port}/gateway"

    @property
    def token(self) -> str:
        """The token of the bot; it opens nothing but a twin."""
        return self.bot.token

    # Parts

    @property
    def state(self) -> State:
        """All that this Discord knows."""
        return self.world.state

    @property
    def log(self) -> Log:
        """All that it saw."""
        return self.world.log

    @property
    def faults(self) -> Faults:
        """What is going to fail."""
        return self.world.faults

    @property
    def limits(self) -> Limiter:
        """The rate limits."""
        return self.world.limits

    @property
    def clock(self) -> Clock:
        """The time here."""
        return self.world.clock

    @property
    def switches(self) -> Switches:
        """How it behaves now."""
        return self.world.switches

    def turn(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Switches
        """Turn switches while it runs: `twin.turn(content_limit=1500)`."""
        self.world.switches = replace(self.world.switches, **changes)

    def fail(self, kind: FaultKind, *routes: str, **fields: Any) -> Fault:  # noqa: ANN401 - fields of Fault
        """Let one fault wait for the next request to these routes, by default the next create."""
        fault = Fault(kind, routes, **fields) if routes else Fault(kind, **fields)
        self.faults.add(fault)
        return fault

    def mount(
        self, prefix: str, answer: Callable[[web.BaseRequest, str], Awaitable[web.StreamResponse]]
    ) -> None:
        """Serve something else below `/prefix/`, such as a page to look at."""
        self._mounted[prefix] = answer

    # A larger world

    def add_user(self, name: str) -> User:
        """A person who is a member of the guild."""
        user = self.state.add_user(name)
        self.state.add_member(self.guild, user)
        return user

    def person(self, name: str | None = None, channel: Channel | None = None) -> ActingPerson:
        """A person who acts: the one who is there already, or a new member of that name."""
        user = self.user if name is None else self.add_user(name)
        return ActingPerson(self.world, self.people, user, channel or self.channel)

    def add_channel(self, name: str, type_: ChannelType = ChannelType.TEXT) -> Channel:
        """Another channel of the guild."""
        return self.state.add_channel(self.guild, name, type_)

    def add_thread(self, name: str, parent: Channel | None = None) -> Channel:
        """A thread of a channel."""
        return self.state.add_thread(parent or self.channel, name, self.user)

    def dm(self, user: User | None = None) -> Channel:
        """The direct messages between a person and the bot."""
        return self.state.open_dm(self.bot.user, user or self.user)

    def group(self, *people: User, name: str = "") -> Channel:
        """A group message of people; no bot is in it, but one that somebody installed can be asked there."""
        return self.state.open_group(people or (self.user,), name)

    def dm_between(self, first: User, second: User) -> Channel:
        """The direct messages of two people, where the bot is nobody."""
        return self.state.open_dm(first, second)

    def install(self, user: User | None = None) -> None:
        """Let a person install the bot for themselves, so that they can ask it everywhere."""
        self.bot.installed_by.add((user or self.user).id)

    # Acting as people

    def say(self, channel: Channel, user: User, text: str, **more: Any) -> Message:  # noqa: ANN401 - see People
        """Write a message as a person; see `People.say`."""
        return self.people.say(channel, user, text, **more)

    def edit(self, message: Message, text: str) -> None:
        """Change the text of a person's message."""
        self.people.edit(message, text)

    def delete(self, message: Message) -> None:
        """Delete any message, as a moderator."""
        self.people.delete(message)

    def press(self, message: Message, custom_id: str, user: User | None = None, **more: Any) -> Interaction:  # noqa: ANN401
        """Press a button or choose from a menu."""
        return self.people.press(message, custom_id, user or self.user, **more)

    def slash(
        self, name: str, channel: Channel | None = None, user: User | None = None, /, **options: object
    ) -> Interaction:
        """Use a slash command: `twin.slash("ask", question="why")`; groups are words of the name."""
        return self.people.slash(channel or self.channel, user or self.user, name, **options)

    def complete(
        self,
        name: str,
        typing: str,
        channel: Channel | None = None,
        user: User | None = None,
        /,
        **options: object,
    ) -> Interaction:
        """Type into an option of a slash command: `twin.complete("ask", "question", question="wh")`."""
        return self.people.complete(channel or self.channel, user or self.user, name, typing, **options)

    def menu(self, name: str, target: Message | User, user: User | None = None) -> Interaction:
        """Choose a command from the menu of a message or a user."""
        place = self.state.channels[target.channel_id] if isinstance(target, Message) else self.channel
        return self.people.menu(target, user or self.user, name, place)

    def submit(self, modal: Interaction, values: dict[str, Any], user: User | None = None) -> Interaction:
        """Fill in a modal."""
        return self.people.submit(modal, user or self.user, values)

    # Waiting and looking

    async def next_message(self, channel: Channel | None = None, timeout: float = 5.0) -> Message:  # noqa: ASYNC109
        """The oldest message of a bot or webhook in a channel that this has not returned yet."""
        return await self._mailbox.next_message(channel or self.channel, timeout)

    async def until(self, look: Callable[[], _Found | None], timeout: float = 5.0) -> _Found:  # noqa: ASYNC109
        """Wait until `look()` is true; it is asked again after every event and every request."""
        return await self._mailbox.until(look, timeout)

    async def ready(self, timeout: float = 5.0) -> None:  # noqa: ASYNC109
        """Wait until a client has identified."""
        await self.until(lambda: any(one.connection for one in self.gateway.sessions.values()), timeout)

    def groups(self, channel: Channel | None = None) -> list[list[Message]]:
        """The messages of a channel, in the blocks that a reader sees."""
        shown = (channel or self.channel).messages.values()
        return group_messages(shown, self.switches.group_window_s)

    # Answering

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if not _is_loopback(request):
            return web.Response(status=403, text="this twin answers loopback only")
        prefix, _, rest = request.path.lstrip("/").partition("/")
        try:
            if prefix == "api":
                version = next((one for one in _VERSIONS if rest.startswith(one)), "")
                return await self._rest.answer(request, rest.removeprefix(version))
            if prefix == "gateway":
                return await self.gateway.answer(request)
            if prefix == "cdn":
                return self._cdn.answer(rest)
            if prefix in self._mounted:
                return await self._mounted[prefix](request, rest)
            return web.Response(status=404, text="not found")
        finally:
            self._mailbox.ring()


def _is_loopback(request: web.BaseRequest) -> bool:
    host = request.headers.get("Host", "")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    origin = request.headers.get("Origin")
    if origin is not None and origin.rpartition("//")[2] != host:
        return False
    return name.lower() in _LOOPBACK


async def serve(port: int = 8765, switches: Switches | None = None) -> None:
    """Serve a twin until cancelled."""
    twin = Twin(switches)
    await twin.start(port)
    _LOGGER.info("twin at %s, gateway %s, token %s", twin.api_url, twin.gateway_url, twin.token)
    try:
        await asyncio.Event().wait()
    finally:
        await twin.stop()

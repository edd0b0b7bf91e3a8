"""A local Discord server: start it, connect a bot to it, act as users and read what happened.

    async with Twin() as twin:
        twin.say(twin.channel, twin.user, "hello")
        message = await twin.next_message(twin.channel)

It binds to 127.0.0.1 unless told otherwise, and refuses requests whose `Host` is not a loopback name or its own,
so that no page in a browser can reach it by rebinding a name.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from aiohttp import web

from .cdn import Cdn
from .clock import Clock, RealClock
from .context import BotError, Context, Mailbox
from .faults import Fault, FaultKind
from .gateway.protocol import Gateway
from .openapi import Conformance
from .options import TwinOptions
from .rest.api import Rest
from .routes.table import ALL_ROUTES
from .state.enums import ChannelType
from .state.message_serializers import group_messages
from .state.models import Message
from .users.actions import UserActions
from .users.fake_user import FakeUser

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from .faults import Faults
    from .openapi import ApiDescription, Violation
    from .rate_limits import Limiter
    from .request_log import Log
    from .state.models import Channel, Interaction, User
    from .state.state import State

__all__ = ["BOT_ID", "Twin", "serve"]

BOT_ID = 100_000_000_000_000_001
"""The id of every twin's bot, so that its token, too, is the same in every run."""

_log = logging.getLogger(__name__)
_Found = TypeVar("_Found")
# Host names that browsers and clients use for this machine.
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
# Versions are accepted and treated alike; a path without a version is also valid.
_VERSIONS = ("v10/", "v9/")


class Twin:
    """A local Discord with a guild, a channel, a user and a bot.

    It has more than 15 attributes because it joins the server with its state and its users, and names what every test
    needs: a guild, a channel, a user and a bot.

    Args:
        options: How it behaves; by default as Discord, with rate limits.
        clock: Its time; by default real time.
        faults: Faults to inject, as with `inject_fault`.
        seed: Seed of the options named `*_chance`.

    Example:
        async with Twin(TwinOptions.without_limits()) as twin, running(twin, MyBot()):
            twin.say(twin.channel, twin.user, "hello")
            answer = await twin.next_message()
            assert answer.content == "Hello, alice!"

    """

    conformance: ClassVar[Conformance | None] = None
    """Checks every twin of this process; the pytest option `--discord-api` sets it."""

    def __init__(
        self,
        options: TwinOptions | None = None,
        *,
        clock: Clock | None = None,
        faults: Iterable[Fault] = (),
        seed: int = 0,
    ) -> None:
        self.context = Context(clock or RealClock(), options or TwinOptions(), seed)
        self.context.conformance = self.conformance
        for fault in faults:
            self.context.faults.add(fault)
        self.gateway = self.context.gateway = Gateway(self.context)
        self.users = UserActions(self.context)
        state = self.context.state
        self.user = state.add_user("alice")
        self.bot = state.add_application("streamcord", self.user, BOT_ID)
        self.guild = state.add_guild("Twin", self.user)
        state.add_member(self.guild, self.bot.user)
        self.channel = state.add_channel(self.guild, "general")
        # Messages of the bot that no test has read yet.
        self._mailbox = Mailbox(self.context.log)
        state.observe(self._mailbox.on_event)
        self.context.on_change = self._mailbox.notify
        self.context.go_offline = self._go_offline_for
        # The task of a GO_OFFLINE fault, which ends the outage.
        self._outage: asyncio.Task[None] | None = None
        self._rest, self._cdn = Rest(self.context, ALL_ROUTES), Cdn(self.context)
        # Further handlers by the first part of the path, such as the web UI.
        self._mounted: dict[str, Callable[[web.BaseRequest, str], Awaitable[web.StreamResponse]]] = {}
        # The HTTP protocol factory; it survives an outage, the listener does not.
        self._server: web.Server | None = None
        # `None` before `start` and during an outage.
        self._listener: asyncio.Server | None = None
        self._host = "127.0.0.1"
        # Chosen by the operating system at the first `start`, then kept.
        self.port = 0
        self.host_name = "127.0.0.1"
        """The name in all addresses that it tells clients; set it before `start`, for a container with its own name."""

    # Starting and stopping

    async def start(self, port: int = 0, host: str | None = None) -> None:
        """Listen on 127.0.0.1.

        Args:
            port: The port; 0 lets the operating system choose one, see the attribute `port`.
            host: Another address to listen on, such as `0.0.0.0` inside of a container.

        """
        self._host = host or self._host
        loop = asyncio.get_running_loop()
        self._server = self._server or web.Server(self._answer, access_log=None, lingering_time=1.0)
        self._listener = await loop.create_server(self._server, self._host, port)
        self.port = self._listener.sockets[0].getsockname()[1]
        self.context.state.cdn_url = self.cdn_url
        self.gateway.url = self.gateway_url
        self._mailbox.notify()

    async def go_offline(self) -> None:
        """Refuse connections and close the open ones, until `go_online`."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self.close_connections()

    async def go_online(self) -> None:
        """Listen again on the same port."""
        await self.start(self.port)

    def _go_offline_for(self, seconds: float) -> None:
        async def outage() -> None:
            await self.go_offline()
            await self.clock.sleep(seconds)
            await self.go_online()

        self._outage = asyncio.create_task(outage())

    def close_connections(self) -> None:
        """Close every connection now, also those that are idle: a client may be writing to one just then."""
        for connection in self._server.connections if self._server else ():
            if connection.transport is not None:
                connection.transport.abort()

    async def stop(self) -> None:
        """Close everything."""
        if self._outage is not None:
            self._outage.cancel()
            await asyncio.gather(self._outage, return_exceptions=True)
        self.gateway.drop(1001)
        # Let the writers of the gateway send their close frames.
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

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def is_listening(self) -> bool:
        """Whether it accepts connections."""
        return self._listener is not None

    # Addresses

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:port`; the API is below `/api/v10`."""
        return f"http://{self.host_name}:{self.port}"

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
        return f"ws://{self.host_name}:{self.port}/gateway"

    @property
    def token(self) -> str:
        """The token of the bot; it opens nothing but a twin."""
        return self.bot.token

    # Parts

    @property
    def state(self) -> State:
        """Users, guilds, channels and messages."""
        return self.context.state

    @property
    def log(self) -> Log:
        """Requests, pings and typing calls that it received."""
        return self.context.log

    @property
    def faults(self) -> Faults:
        """The faults that are still to happen."""
        return self.context.faults

    @property
    def limits(self) -> Limiter:
        """The rate limits."""
        return self.context.limits

    @property
    def clock(self) -> Clock:
        """The time of this server."""
        return self.context.clock

    @property
    def options(self) -> TwinOptions:
        """The current options."""
        return self.context.options

    def configure(self, **changes: Any) -> None:  # noqa: ANN401 - fields of TwinOptions
        """Change options while it runs.

        Args:
            changes: Fields of `TwinOptions`.

        Example:
            twin.configure(content_limit=1500)

        """
        self.context.options = replace(self.context.options, **changes)

    def check_against(
        self, description: ApiDescription, on_violation: Callable[[Violation], None] = lambda _: None
    ) -> Conformance:
        """Compare everything that this twin accepts and sends with Discord's own description.

        Args:
            description: Discord's OpenAPI document.
            on_violation: Called with each new violation.

        Returns:
            What collects the violations.

        Example:
            check = twin.check_against(ApiDescription.read("openapi.json"))

        """
        self.context.conformance = Conformance(description, on_violation)
        return self.context.conformance

    def inject_fault(self, kind: FaultKind, *routes: str, **fields: Any) -> Fault:  # noqa: ANN401 - fields of Fault
        """Inject a fault into a later request.

        Args:
            kind: What happens.
            routes: Names of the routes that trigger it; by default those that create messages.
            fields: Other fields of `Fault`.

        Returns:
            The fault.

        Example:
            twin.inject_fault(FaultKind.STATUS, "messages.edit", status=503)

        """
        fault = Fault(kind, routes, **fields) if routes else Fault(kind, **fields)
        self.faults.add(fault)
        return fault

    def clear(self) -> None:
        """Forget what was logged, injected, limited and waited for; users, channels and messages stay."""
        context = self.context
        context.faults.clear()
        context.faults.fired.clear()
        context.log.clear()
        context.limits.clear()
        context.state.nonces.forget()
        self._mailbox.clear()

    def is_mounted(self, prefix: str) -> bool:
        """Return whether something is served below `/prefix/`."""
        return prefix in self._mounted

    def mount(
        self, prefix: str, answer: Callable[[web.BaseRequest, str], Awaitable[web.StreamResponse]]
    ) -> None:
        """Serve another handler below `/prefix/`, such as the web UI."""
        self._mounted[prefix] = answer

    # More users, channels and threads

    def add_user(self, name: str) -> User:
        """Add a user to the guild."""
        user = self.state.add_user(name)
        self.state.add_member(self.guild, user)
        return user

    def fake_user(self, name: str | None = None, channel: Channel | None = None) -> FakeUser:
        """Return a user who can act: the first one, or a new member of that name."""
        user = self.user if name is None else self.add_user(name)
        return FakeUser(self.context, self.users, user, channel or self.channel)

    def add_channel(self, name: str, type_: ChannelType = ChannelType.TEXT) -> Channel:
        """Add a channel to the guild."""
        return self.state.add_channel(self.guild, name, type_)

    def add_thread(self, name: str, parent: Channel | None = None) -> Channel:
        """Add a thread to a channel."""
        return self.state.add_thread(parent or self.channel, name, self.user)

    def dm(self, user: User | None = None) -> Channel:
        """Return the direct message channel of a user and the bot."""
        return self.state.open_dm(self.bot.user, user or self.user)

    def group(self, *people: User, name: str = "") -> Channel:
        """Open a group DM without bots; a user-installed app can be used there."""
        return self.state.open_group(people or (self.user,), name)

    def dm_between(self, first: User, second: User) -> Channel:
        """Return the direct message channel of two users, which the bot cannot see."""
        return self.state.open_dm(first, second)

    def install(self, user: User | None = None) -> None:
        """Install the bot for a user, so that they can use its commands everywhere."""
        self.bot.installed_by.add((user or self.user).id)

    # Acting as users

    def say(self, channel: Channel, user: User, text: str, **more: Any) -> Message:  # noqa: ANN401 - see Users
        """Send a message as a user; see `UserActions.say`."""
        return self.users.say(channel, user, text, **more)

    def edit(self, message: Message, text: str) -> None:
        """Edit a user's message."""
        self.users.edit(message, text)

    def delete(self, message: Message) -> None:
        """Delete any message, as a moderator."""
        self.users.delete(message)

    def press(self, message: Message, custom_id: str, user: User | None = None, **more: Any) -> Interaction:  # noqa: ANN401
        """Press a button or choose from a menu."""
        return self.users.press(message, custom_id, user or self.user, **more)

    def slash(
        self, name: str, channel: Channel | None = None, user: User | None = None, /, **options: object
    ) -> Interaction:
        """Use a slash command: `twin.slash("ask", question="why")`; groups are words of the name."""
        return self.users.slash(channel or self.channel, user or self.user, name, **options)

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
        return self.users.complete(channel or self.channel, user or self.user, name, typing, **options)

    def menu(self, name: str, target: Message | User, user: User | None = None) -> Interaction:
        """Choose a command from the menu of a message or a user."""
        channel = self.state.channels[target.channel_id] if isinstance(target, Message) else self.channel
        return self.users.menu(target, user or self.user, name, channel)

    def submit(self, modal: Interaction, values: dict[str, Any], user: User | None = None) -> Interaction:
        """Fill in a modal."""
        return self.users.submit(modal, user or self.user, values)

    # Waiting and looking

    async def next_message(self, channel: Channel | None = None, timeout: float = 5.0) -> Message:  # noqa: ASYNC109
        """Wait for the oldest message of a bot or webhook that this method has not returned yet.

        Args:
            channel: Where to look; by default the first channel.
            timeout: Seconds to wait.

        Raises:
            TimeoutError: There was no such message in time.
            BotError: The bot under test raised an exception meanwhile.

        """
        return await self._mailbox.next_message(channel or self.channel, timeout)

    async def until(self, look: Callable[[], _Found | None], timeout: float = 5.0) -> _Found:  # noqa: ASYNC109
        """Wait until `look()` is true and return its value.

        It is called after every event and request, and twenty times a second: it may look at the bot's own state.

        Args:
            look: Returns what the test waits for, or a false value.
            timeout: Seconds to wait.

        Raises:
            TimeoutError: It did not happen in time; the message has the last requests and why they were refused.
            BotError: The bot under test raised an exception meanwhile.

        Example:
            await twin.until(lambda: twin.log.count("messages.edit") >= 3)

        """
        return await self._mailbox.until(look, timeout)

    @property
    def bot_errors(self) -> list[BotError]:
        """Exceptions that the bot under test did not handle and no wait has raised; a test may clear the list.

        `running` and `run_on_twin` find them by themselves; for other clients call `report_error`.
        """
        return self._mailbox.errors

    def report_error(self, error: BaseException, where: str = "the bot") -> None:
        """Record an exception that the bot under test did not handle: the next wait raises it.

        Args:
            error: The exception.
            where: What failed, such as `on_message`.

        Example:
            class MyBot(disnake.Client):
                async def on_error(self, event, *args, **options):
                    twin.report_error(sys.exception(), event)

        """
        self._mailbox.on_error(error, where)

    async def ready(self, timeout: float = 5.0) -> None:  # noqa: ASYNC109
        """Wait until a client has identified."""
        await self.until(lambda: any(one.connection for one in self.gateway.sessions.values()), timeout)

    def groups(self, channel: Channel | None = None) -> list[list[Message]]:
        """Return the messages of a channel, grouped as the client shows them."""
        shown = (channel or self.channel).messages.values()
        return group_messages(shown, self.options.group_window_s)

    # Answering

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        # A page of another site could reach us through DNS rebinding; it cannot fake `Host`.
        if not _is_local(request, self.host_name):
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
            self._mailbox.notify()


def _is_local(request: web.BaseRequest, own_name: str) -> bool:
    """Return whether a request names this machine, or the twin's own name, and comes from no other site's page."""
    host = request.headers.get("Host", "")
    # An IPv6 address contains colons; only what follows the bracket is a port.
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    origin = request.headers.get("Origin")
    # Browsers send `Origin` with every request of a script; clients send none.
    if origin is not None and origin.rpartition("//")[2] != host:
        return False
    return name.lower() in {*_LOOPBACK, own_name.lower()}


async def serve(port: int = 8765, options: TwinOptions | None = None) -> None:
    """Serve a twin until cancelled, as the command `discord-twin` does.

    Args:
        port: The port on 127.0.0.1.
        options: How it behaves.

    Example:
        asyncio.run(serve(8765, TwinOptions(max_webhooks=2)))

    """
    twin = Twin(options)
    await twin.start(port)
    _log.info("twin at %s, gateway %s, token %s", twin.api_url, twin.gateway_url, twin.token)
    try:
        await asyncio.Event().wait()
    finally:
        await twin.stop()

"""For your own tests: a channel that remembers, a model that follows a script, contracts, recordings, a bot.

    model = ScriptedProvider(["Hello ", "there."])
    channel = FakeChannel()
    await say(channel, model)
    assert channel.texts == ["Hello there."]

`TransportContract` and `StoreContract` are the tests that a transport or a store of your own must pass; they
need pytest. `record` keeps on file what a source said, `replay` says it again. `connect_discord_py` points
discord.py at a local Discord (`discord_twin`). Installed beside pytest, streamcord also brings the
fixtures `twin`, `run_bot` and `twin_client`; `RunBot` is the type of the second.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._testing.fakes import FakeChannel, ScriptedProvider

if TYPE_CHECKING:
    from ._preview.recording import read_recording, record, replay
    from ._testing.transport_contracts import StoreContract, TransportContract

__all__ = [
    "FakeChannel",
    "ScriptedProvider",
    "StoreContract",
    "TransportContract",
    "read_recording",
    "record",
    "replay",
]

# These need pytest, discord.py or the disk, so they are imported when somebody asks for them.
_LATER = {
    "StoreContract": "_testing.transport_contracts",
    "TransportContract": "_testing.transport_contracts",
    "read_recording": "_preview.recording",
    "record": "_preview.recording",
    "replay": "_preview.recording",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"streamcord.{_LATER[name]}"), name)

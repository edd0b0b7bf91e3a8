"""Test doubles, contract tests and recordings for your own tests.

    model = ScriptedProvider(["Hello ", "there."])
    channel = FakeChannel()
    await say(channel, model)
    assert channel.texts == ["Hello there."]

`TransportContract` and `StoreContract` are the tests that your own transport or store must pass; they need pytest.
`record` writes the events of a source to a file, `replay` yields them again. For tests of a whole bot see the
package `discord-twin`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._delivery.no_pauses import without_pauses
from ._testing.fakes import Cue, FakeChannel, ScriptedProvider

if TYPE_CHECKING:
    from ._preview.recording import RecordingEntry, SourceItem, read_recording, record, replay
    from ._testing.persona_store_checks import StoreCheck, StoreFactory
    from ._testing.store_contracts import StoreContract
    from ._testing.transport_contracts import TransportContract

__all__ = [
    "Cue",
    "FakeChannel",
    "RecordingEntry",
    "ScriptedProvider",
    "SourceItem",
    "StoreCheck",
    "StoreContract",
    "StoreFactory",
    "TransportContract",
    "read_recording",
    "record",
    "replay",
    "without_pauses",
]

# These need pytest or are slow to import, so they are imported on first use.
_LATER = {
    "RecordingEntry": "_preview.recording",
    "SourceItem": "_preview.recording",
    "StoreCheck": "_testing.persona_store_checks",
    "StoreContract": "_testing.store_contracts",
    "StoreFactory": "_testing.persona_store_checks",
    "TransportContract": "_testing.transport_contracts",
    "read_recording": "_preview.recording",
    "record": "_preview.recording",
    "replay": "_preview.recording",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"streamcord.{_LATER[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "pytest":
            raise
        raise ImportError(f"streamcord.testing.{name} needs pytest: pip install pytest") from error

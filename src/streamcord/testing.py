"""Doubles for your own tests: a channel that remembers and a model that follows a script.

model = ScriptedProvider(["Hello ", "there."])
channel = FakeChannel()
await say(channel, model)
assert channel.texts == ["Hello there."]
"""

from ._testing.fake_channel import FakeChannel
from ._testing.scripted_provider import ScriptedProvider

__all__ = ["FakeChannel", "ScriptedProvider"]

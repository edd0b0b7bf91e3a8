"""Doubles for your own tests: a channel that remembers and a model that follows a script.

model = ScriptedProvider(["Hello ", "there."])
channel = FakeChannel()
await say(channel, model)
assert channel.texts == ["Hello there."]
"""

from ._testing.fakes import FakeChannel, ScriptedProvider

__all__ = ["FakeChannel", "ScriptedProvider"]

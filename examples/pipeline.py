"""Text in, messages out, no I/O."""

from streamcord import Message, Pipeline, Settings, TurnEvent

pipeline = Pipeline(Settings())
events: list[TurnEvent] = []
for token in ("<think>sho", "rt</think>Sure! He", "re it is:\n``", "`python\nprint(1)\n`", "``\nBye."):
    events += pipeline.feed(token)
events += pipeline.flush()

for event in events:
    if isinstance(event, Message):
        print(repr(event.content))

"""What the personas say when the demo asks for something special: no small model does these things reliably.

Each scene has a cue, which is looked for in the question. `%name%` is whoever speaks.
"""

# ruff: noqa: E501  (a line is a line)

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from streamcord import ToolCall

__all__ = ["NO_MODEL", "SCENES", "Scene", "find_scene"]


@dataclass(frozen=True, slots=True)
class Scene:
    """A scripted answer; `call` is a tool that is used after `text`, whose result `then` may quote."""

    cue: str
    text: str
    call: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    then: str = ""
    slow: bool = False
    """Whether it takes its time, so that somebody can stop it."""

    def tool_call(self) -> ToolCall:
        """The call, as a model would make it."""
        return ToolCall(f"demo-{self.call}", self.call, dict(self.arguments))


_TABLE = """\
%name% (happy): Here is who lives in the night sky :star:

| who | how far | how bright |
|:----|--------:|:----------:|
| the Moon | 384 400 km | **very** |
| Venus | 41 million km | bright |
| Sirius | 8.6 light years | bright |
| Andromeda | 2.5 million light years | *faint* |

On Discord a table would be a heap of pipes, so it comes as a picture.
"""

_CODE = """\
Sure! This one greets everybody, once:

```python
def greet(names: list[str]) -> None:
    for name in dict.fromkeys(names):
        print(f"Hello, {name}!")


greet(["Ada", "Grace", "Ada"])
```

A code block is never cut where it fits one message, and *no* stray quote ("like this one) can hold it back.
"""

_STORY = """\
Long ago, before there were clocks, people told the time by the Moon. She grew, she shrank, she vanished, and after twenty-nine and a half days she was back. Nobody had to wind her up.

The tides follow her too. Twice a day the sea comes up the beach to look, finds that she has moved on, and goes back. Fishermen know her better than they know their neighbours.

She always shows us the same face. That is no shyness: she turns once around herself for each turn around us, like somebody who dances with you and never looks away.

Her far side was a secret until 1959, when a small machine flew around her and sent home seventeen blurry pictures. It turned out to have far fewer dark plains. Nobody is quite sure why.

Twelve people have walked on her. Their footprints are still there, since no wind blows and no rain falls; they will be there when our cities are gone.

- She is 4.5 billion years old.
- She moves away from us by 3.8 cm a year.
- A day on her lasts 29.5 of ours.
- Her dust smells of spent gunpowder, say those who brought it in on their boots.

One day she will be too far away to cover the whole Sun, and there will be no more total eclipses. That is in six hundred million years, so there is still time to see one.

Until then she comes up in the evening, a little later every day, and whoever is awake may look.
"""

_LOOKS = """\
%name% (happy): Look, this is my happy face!
%name% (mad): And this one I make when somebody says that cats cannot code.
%name% (sleepy): This one is for three in the morning...
%name%: And that is just me again.
"""

_ROBOT_LOOKS = """\
%name% (thinking): I am computing.
%name% (surprised): The result is 42!
%name%: I am done computing.
"""

_THOUGHT = """\
<think>They ask whether I think. I should say yes, and keep this part to myself: it goes into the log of thoughts, \
not into the channel.</think>Of course! What I thought just now went into #thoughts, and nobody here had to read it.
<details><summary>mood</summary>%name% is in a good mood and likes being asked.</details>
"""

_COUNT = "\n".join(f"That makes {number}. I can do this all night." for number in range(1, 31))

_EMOJI = (
    "Hi there :luna_wave:\nThis one is from this server :luna_heart: and it is drawn by a few lines of code."
)

SCENES: tuple[Scene, ...] = (
    Scene("show me a table", _TABLE),
    Scene("show me some code", _CODE),
    Scene("tell me a long story", _STORY),
    Scene("show me your faces", _LOOKS),
    Scene(
        "roll two dice",
        "Let me see what the dice say...\n",
        call="roll_dice",
        arguments={"dice": "2d6"},
        then="%name% (happy): The dice say %result%. Nobody made that up: a tool rolled them.",
    ),
    Scene("do you think", _THOUGHT),
    Scene("count to thirty", _COUNT, slow=True),
    Scene("show me your emoji", _EMOJI),
)

_ROBOT: tuple[Scene, ...] = (Scene("show me your faces", _ROBOT_LOOKS),)

NO_MODEL = Scene(
    "",
    "%name% (happy): Hi! I am %name%, and today I only follow a script: the small model of this demo is not installed "
    "(%why%).\nEverything around me is real, though: the bot, the way my words become messages, and this Discord. "
    "Ask me to **show me a table**, **show me some code**, **tell me a long story**, **show me your faces**, "
    "**roll two dice**, **do you think**, **count to thirty**, or type `:tour`.",
)


def find_scene(question: str, name: str) -> Scene | None:
    """The scene that a question asks for."""
    words = question.casefold()
    own = _ROBOT if name == "Orbit" else ()
    return next((scene for scene in (*own, *SCENES) if scene.cue in words), None)

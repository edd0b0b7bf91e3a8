"""The journal of one turn: `say` is given it, and writes what it hears, sends and is told.

journal = await open_journal("streamcord.db")
await say(channel, model(question), journal=journal.begin(channel=channel.id, question=question))

for turn in await journal.unfinished():                 # after a restart
    await say(channel, model(turn.about["question"], turn.text), journal=turn)
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from .._events import Message, Receipt, TextDelta
from .._settings import NO_CONTEXT, AnswerContext, Settings
from .protocol import VERSION, Journal, JournalRow
from .reconcile import SavedTurn
from .serialization import END, encode_context, encode_event, encode_message, encode_settings

__all__ = ["TurnJournal"]

BATCH = 0.2
"""Seconds for which text is gathered before it is written."""


class TurnJournal:
    """Writes the rows of one turn; `saved` is what another process wrote before, if this one goes on with it.

    `about` is whatever the caller needs to go on: where it was said, what was asked. A turn that is `held`
    stays in the journal after its end until `close`, because something is still to be done.
    """

    def __init__(
        self,
        journal: Journal,
        about: Mapping[str, Any] | None = None,
        *,
        saved: SavedTurn | None = None,
        held: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.id = saved.id if saved else secrets.token_hex(8)
        self.about: Mapping[str, Any] = saved.about if saved else dict(about or {})
        self.saved = saved
        self.stray = False
        """Whether the channel holds words that the journal does not know: then nothing more may be sent."""
        self.is_left = False
        """Whether another process, or this one later, has to go on with it."""
        self._journal = journal
        self._held = held
        self._clock = clock
        self._number = saved.rows if saved else 0
        self._words: list[list[Any]] = []
        self._text: list[str] | None = None
        """The last of these, while it is text."""
        self._timer: asyncio.TimerHandle | None = None
        self._open = False
        self._over = False

    @property
    def text(self) -> str:
        """What the model had said when the turn broke off."""
        return self.saved.text if self.saved else ""

    # --- The turn -------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings | None:
        """The settings of a turn that is gone on with."""
        return self.saved.settings if self.saved else None

    @property
    def context(self) -> AnswerContext | None:
        """The context of a turn that is resumed."""
        return self.saved.context if self.saved else None

    def begin(
        self,
        settings: Settings,
        random: Random | None,
        transport: object,
        context: AnswerContext = NO_CONTEXT,
    ) -> Random:
        """Write what the turn is, unless it is there already; returns what draws its lots."""
        if self.saved is not None:
            return Random(self.saved.seed)
        seed = random.getrandbits(53) if random else secrets.randbits(53)
        last_known = getattr(transport, "last_known_id", 0)
        body = {
            "about": self.about,
            "settings": encode_settings(settings),
            "context": encode_context(context),
            "seed": seed,
            "anchor": last_known,
        }
        self._write("turn", {"version": VERSION, **body})
        return Random(seed)

    async def settled(self) -> bool:
        """Wait until what was heard and written is kept, for a moment."""
        self._pour()
        return await self._journal.settled()

    def hear(self, event: object) -> None:
        """Something that the source said."""
        # Most of what is heard are words behind other words.
        if self._text is not None and isinstance(event, TextDelta):
            self._text.append(event.text)
            return
        row = encode_event(event)
        if row is None or self._over:
            return
        if row[0] == "text" and self._text is not None:
            self._text.append(row[1])
            return
        self._text = row if row[0] == "text" else None
        self._words.append(row)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BATCH, self._pour_in_time)

    def hear_end(self) -> None:
        """The source has ended by itself."""
        self._words.append([END])
        self._pour()

    def stop(self, mode: str) -> None:
        """Somebody stopped it: it does not go on after a restart."""
        self._pour()
        self._write("stopped", {"mode": mode})

    def end(self) -> None:
        """The turn is over, as it should be."""
        self._pour()
        if not self._over:
            self._write("ended", {})
        self._over = True
        if not self._held:
            self.close()

    def leave(self) -> None:
        """Stop writing; another process goes on with the turn."""
        self._pour()
        self._over = self.is_left = True

    def close(self) -> None:
        """Nothing is left to be done: the turn is forgotten."""
        self._over, self._held = True, False
        self._words, self._text = [], None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._journal.forget(self.id)

    # --- Its messages ---------------------------------------------------------------------------

    async def sending(
        self, part: int, message: Message, until: int, rest: Sequence[Message] = (), *, grows: bool = False
    ) -> None:
        """A message is about to be sent; with it, `until` planned messages are done, but for the `rest`.

        One that `grows` is the beginning of a message that is not planned to its end.
        """
        self._pour()
        self._open = True
        self._write("attempt", _attempt(part, message, until, rest, grows=grows))
        await self._journal.settled()

    def delivered(self, receipt: Receipt) -> None:
        """The message has arrived."""
        if self._open:
            self._open = False
            changes = {"changes": list(receipt.changes)} if receipt.changes else {}
            self._write("arrived", {"id": receipt.id, **changes})

    def finalized(self, part: int, receipt: Receipt, until: int, rest: Sequence[Message]) -> None:
        """A message that grew says everything, or as much as it ever will."""
        # Nothing may be known as shown that was not heard: a model would be asked for it again.
        self._pour()
        self._open = True
        self._write("attempt", _attempt(part, receipt.message, until, rest))
        self.delivered(receipt)

    def adopt(
        self,
        part: int,
        message: Message,
        until: int,
        rest: Sequence[Message],
        id_: int,
        *,
        grows: bool = False,
    ) -> None:
        """A message was found that the other process had sent; with an id of 0 nobody can tell."""
        self._write("attempt", _attempt(part, message, until, rest, grows=grows))
        if id_:
            self._write("arrived", {"id": id_, "changes": ["adopted"]})
        else:
            self._write("lost", {"reason": "uncertain"})

    def now(self) -> float:
        """The time by which rows are dated."""
        return self._clock()

    def failed(self, reason: str) -> None:
        """The message will not arrive, or nobody knows."""
        if self._open:
            self._open = False
            self._write("lost", {"reason": reason})

    def cancelled(self) -> None:
        """The message was refused; others stand in its place."""
        if self._open:
            self._open = False
            self._write("void", {})

    def mark(self, kind: str, message: int, **more: Any) -> None:  # noqa: ANN401 - JSON
        """Something is put into the channel that must go away if nobody else takes it away."""
        if not self._over or self._held:
            self._write("mark", {"what": kind, "message": message, **more})

    # --- Rows -----------------------------------------------------------------------------------

    def _pour_in_time(self) -> None:
        self._timer = None
        self._pour()

    def _pour(self) -> None:
        """Write what was heard since the last time; the timer stays, for what is heard next."""
        if self._words:
            words = [["text", "".join(row[1:])] if row[0] == "text" else row for row in self._words]
            self._words, self._text = [], None
            self._write("heard", {"events": words})

    def _write(self, kind: str, body: Mapping[str, Any]) -> None:
        self._journal.write(JournalRow(self.id, self._number, kind, body, self._clock()))
        self._number += 1


def _attempt(
    part: int, message: Message, until: int, rest: Sequence[Message], *, grows: bool = False
) -> dict[str, Any]:
    body: dict[str, Any] = {"part": part, "until": until, "message": encode_message(message)}
    if rest:
        body["rest"] = [encode_message(one) for one in rest]
    if grows:
        body["grows"] = True
    return body

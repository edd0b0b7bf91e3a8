"""The journal of one turn: `say` writes to it what it receives and sends.

Example:
    journal = await open_journal("streamcord.db")
    await say(channel, model(question), journal=journal.begin(channel=channel.id, question=question))

    for turn in await journal.unfinished():                 # after a restart
        await say(channel, model(turn.about["question"], turn.text), journal=turn)

"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from .._events import Message, Receipt, StreamPosition
from .._settings import NO_CONTEXT, AnswerContext, Settings
from .protocol import VERSION, Journal, JournalRow
from .reconcile import SavedTurn
from .serialization import END, POSITION, encode_context, encode_event, encode_message, encode_settings

EVENT_BATCH_S = 0.2
"""Seconds for which source events are collected before they are written."""


class TurnJournal:
    """Writes the rows of one turn.

    Args:
        journal: where the rows go.
        about: what the caller needs to resume the turn: the channel, the question.
        saved: the turn as another process left it, if this one resumes it.
        held: whether the rows stay after the end of the turn until `close`, because the caller still has
            something to do, such as removing buttons.
        clock: returns seconds since 1970.

    Example:
        turn = TurnJournal(journal, {"channel": channel.id, "question": message.id})
        await say(channel, source, journal=turn)

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
        """Whether the channel contains messages that the journal does not account for; then nothing more is sent."""
        self.is_left = False
        """Whether the turn is left to be resumed, by another process or by this one later."""
        self.waits_for_permission = False
        """Whether a turn is left, and not ended, when the transport is not allowed to write."""
        self._journal = journal
        self._held = held
        self._clock = clock
        # Number of the next row.
        self._number = saved.rows if saved else 0
        # Source events that are not written yet, encoded.
        self._events: list[list[Any]] = []
        # Writes the events after `EVENT_BATCH_S`.
        self._timer: asyncio.TimerHandle | None = None
        # Whether a "sending" row has no outcome yet.
        self._is_sending = False
        # Whether the turn has ended or was left; nothing more is recorded.
        self._over = False

    @property
    def text(self) -> str:
        """The text that was received before the turn was interrupted."""
        return self.saved.text if self.saved else ""

    # --- The turn -------------------------------------------------------------------------------

    @property
    def position(self) -> StreamPosition | None:
        """The place from which the provider's stream can be taken up again, for `Options.resume`."""
        return self.saved.position if self.saved else None

    @property
    def settings(self) -> Settings | None:
        """The settings of a turn that is resumed."""
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
        """Write the header row if it is missing and return the turn's random generator."""
        if self.saved is not None:
            return Random(self.saved.seed)
        seed = random.getrandbits(53) if random else secrets.randbits(53)
        last_known = getattr(transport, "last_known_id", 0)
        body = {
            "about": self.about,
            "settings": encode_settings(settings),
            "context": encode_context(context),
            "seed": seed,
            "last_known_id": last_known,
        }
        self._write("turn", {"version": VERSION, **body})
        return Random(seed)

    async def flush(self) -> bool:
        """Write all events and wait for the journal; see `Journal.flush`."""
        self._flush_events()
        return await self._journal.flush()

    def record_event(self, event: object) -> None:
        """Record a source event; events that no message depends on are ignored."""
        row = encode_event(event)
        if row is not None and not self._over:
            self._events.append(row)
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(EVENT_BATCH_S, self._on_timer)

    def record_private(self) -> None:
        """Record that only one person may see the answer."""
        self._write("private", {})

    def record_source_end(self) -> None:
        """Record that the source ended by itself."""
        self._events.append([END])
        self._flush_events()

    def stop(self, mode: str) -> None:
        """Record that the turn was stopped; it is not resumed after a restart."""
        self._flush_events()
        self._write("stopped", {"mode": mode})

    def end(self) -> None:
        """End the turn; its rows are deleted now, or by `close` if it is held."""
        self._flush_events()
        if not self._over:
            self._write("ended", {})
        self._over = True
        if not self._held:
            self.close()

    def leave(self) -> None:
        """Stop writing and leave the rows, so that the turn can be resumed."""
        self._flush_events()
        self._over = True
        self.is_left = True

    def close(self) -> None:
        """Delete the rows of the turn."""
        self._over = True
        self._held = False
        self._events = []
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._journal.forget(self.id)

    # --- Messages ------------------------------------------------------------------------------

    async def sending(
        self, part: int, message: Message, until: int, rest: Sequence[Message] = (), *, live: bool = False
    ) -> None:
        """Record that a message is about to be sent, and wait until that is written.

        Args:
            part: number of the message in the turn.
            message: the message.
            until: planned messages that are done once it is delivered, except for the `rest`.
            rest: pieces of the last planned message that are still to be sent.
            live: whether it is the start of a live message, which later edits complete.

        """
        self._flush_events()
        self._is_sending = True
        self._write("sending", _attempt(part, message, until, rest, live=live))
        await self._journal.flush()

    def delivered(self, receipt: Receipt) -> None:
        """Record that the message was delivered."""
        if self._is_sending:
            self._is_sending = False
            changes = {"changes": list(receipt.changes)} if receipt.changes else {}
            self._write("delivered", {"id": receipt.id, **changes})

    def finalized(self, part: int, receipt: Receipt, until: int, rest: Sequence[Message]) -> None:
        """Record that a live message has its final text, or cannot be edited any more."""
        # Its text must be written before: otherwise recovery would ask the model for it again.
        self._flush_events()
        self._is_sending = True
        self._write("sending", _attempt(part, receipt.message, until, rest))
        self.delivered(receipt)

    def adopt(
        self,
        part: int,
        message: Message,
        until: int,
        rest: Sequence[Message],
        id_: int,
        *,
        live: bool = False,
    ) -> None:
        """Record a message of the other process that was found in the channel; id 0 means it is unknown."""
        self._write("sending", _attempt(part, message, until, rest, live=live))
        if id_:
            self._write("delivered", {"id": id_, "changes": ["adopted"]})
        else:
            self._write("failed", {"reason": "uncertain"})

    def now(self) -> float:
        """Return the time for new rows, in seconds since 1970."""
        return self._clock()

    def failed(self, reason: str) -> None:
        """Record that the message was not delivered, or that its outcome is unknown."""
        if self._is_sending:
            self._is_sending = False
            self._write("failed", {"reason": reason})

    def cancelled(self) -> None:
        """Record that the message was not sent; others may replace it."""
        if self._is_sending:
            self._is_sending = False
            self._write("cancelled", {})

    def mark(self, kind: str, message: int, **more: Any) -> None:  # noqa: ANN401 - JSON
        """Record something in the channel that recovery must remove, such as a stop button."""
        if not self._over or self._held:
            self._write("mark", {"what": kind, "message": message, **more})

    # --- Rows -----------------------------------------------------------------------------------

    def _on_timer(self) -> None:
        self._timer = None
        self._flush_events()

    def _flush_events(self) -> None:
        """Write the collected events; a running timer stays and serves the next ones."""
        if self._events:
            events, self._events = _merge(self._events), []
            self._write("received", {"events": events})

    def _write(self, kind: str, body: Mapping[str, Any]) -> None:
        self._journal.write(JournalRow(self.id, self._number, kind, body, self._clock()))
        self._number += 1


def _merge(events: Iterable[list[Any]]) -> list[list[Any]]:
    """Join adjacent text; of several positions in the stream with only text between them, keep the last one."""
    merged: list[list[Any]] = []
    for row in events:
        if row[0] == POSITION:
            text = merged.pop() if merged and merged[-1][0] == "text" else None
            if merged and merged[-1][0] == POSITION:
                merged.pop()
            if text is not None:
                _append(merged, text)
        _append(merged, row)
    return [["text", "".join(row[1:])] if row[0] == "text" else row for row in merged]


def _append(merged: list[list[Any]], row: list[Any]) -> None:
    """Append a row; a text row after another one lengthens it."""
    if row[0] == "text" and merged and merged[-1][0] == "text":
        merged[-1] += row[1:]
    else:
        merged.append(list(row))


def _attempt(
    part: int, message: Message, until: int, rest: Sequence[Message], *, live: bool = False
) -> dict[str, Any]:
    body: dict[str, Any] = {"part": part, "until": until, "message": encode_message(message)}
    if rest:
        body["rest"] = [encode_message(one) for one in rest]
    if live:
        body["live"] = True
    return body

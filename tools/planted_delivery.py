"""Plants bugs of delivery into copies of the source and shows which fault schedule sees each of them.

    python tools/planted_delivery.py                           all bugs (a few minutes)
    python tools/planted_delivery.py recovery_schedule.py      those of resuming after a kill

Each is a mistake that has been made before. The clean copy comes first and must pass. The exit status says
whether a bug was missed, or can no longer be planted because the source has changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import planting

ROOT = Path(__file__).resolve().parent.parent
KILLS = ("recovery_schedule.py", "0-199")
"""Answers that are killed and resumed."""
LIVE = ("fault_schedule.py", "0-699", "1", "live")
"""Answers that grow."""
TRIAL_TIMEOUT_S = 900


@dataclass(frozen=True, slots=True)
class Plant:
    """A bug: what is written instead of what, and a word of what the judge must say."""

    name: str
    place: str
    old: str
    new: str
    expected: str
    player: tuple[str, ...] = ("fault_schedule.py", "0-999", "1")


PLANTS = (
    Plant(
        "an edit without an answer was not made",
        "_delivery.live.message:LiveMessage.edit",
        "            if not self.confirmed:\n                await self._read()\n",
        "            self.confirmed = True\n",
        "doubled",
        ("fault_schedule.py", "1400-1549", "1", "live"),
    ),
    Plant(
        "a message that can grow no more is said again",
        "_delivery.live.sender:LiveSender._close_live",
        "        rest = remaining_after(whole, live.shown.message)\n        receipt",
        "        rest: Message | None = whole\n        receipt",
        "doubled",
        LIVE,
    ),
    Plant(
        "the rest of a message that can grow no more is forgotten",
        "_delivery.live.sender:LiveSender._close_live",
        "        self._outbox.replace_first([rest] if rest else [])\n",
        "        self._outbox.replace_first([])\n",
        "lost without a word",
        LIVE,
    ),
    Plant(
        "the last edit is tried once",
        "_delivery.live.sender:LiveSender._may_retry",
        "        return again and not late\n",
        "        return False\n",
        "given up",
        LIVE,
    ),
    Plant(
        "a part that failed is forgotten",
        "_delivery.sender:MessageSender._record_outcome",
        "                self._log.record_lost(message, reason)\n",
        "",
        "lost without a word",
    ),
    Plant(
        "busy Discord is not asked again",
        "_delivery.refusals:choose_action",
        "        case DeliveryUnavailable():\n            return Action.RETRY",
        "        case DeliveryUnavailable():\n            return Action.GIVE_UP",
        "given up",
    ),
    Plant(
        "every try has a nonce of its own",
        "_delivery.retry:RetryingSender._build_outgoing",
        "            self._turn,\n            pending.part,\n",
        "            f'{self._turn}{pending.failures}',\n            pending.part,\n",
        "doubled",
    ),
    Plant(
        "a webhook is asked again without looking",
        "_discord.webhooks.sender:_resolve",
        '        if receipt := await self._find(webhook_message):\n            return receipt\n        raise DeliveryUnavailable("the message did not arrive")',
        '        self._pending.withdraw(webhook_message.key, None)\n        raise DeliveryUnavailable("the message did not arrive")',
        "doubled",
    ),
    Plant(
        "pieces of a part change places",
        "_delivery.outbox:Outbox.replace_first",
        "for message in reversed(given):",
        "for message in given:",
        "out of order",
    ),
    Plant(
        "whom a message may ping is left to Discord",
        "_discord.content:to_discord_mentions",
        "    return discord.AllowedMentions(\n        everyone=False, users=users, roles=allowed_mentions.roles, replied_user=allowed_mentions.replied_user\n    )",
        "    return discord.AllowedMentions.all()",
        "pinged",
    ),
    Plant(
        "the words for a picture that was refused are forgotten",
        "_delivery.refusals:AcceptedForm.reshape",
        "            words = message.fallback or message.content or _names(message)\n",
        "            words = message.content or _names(message)\n",
        "lost without a word",
    ),
    Plant(
        "of two joined messages only the first is sent",
        "_text.layout.resplit_and_join:join",
        "    content = first.content + gap + second.content\n",
        "    content = first.content\n",
        "lost without a word",
    ),
    Plant(
        "what stands in the channel is not compared with what was to be said",
        "_journal.reconcile:reconcile",
        "    for fetched in found:\n",
        "    for fetched in found[:0]:\n",
        "doubled",
        KILLS,
    ),
    Plant(
        "what has arrived is planned once more",
        "_journal.restore_turn:Restorer.restore",
        "        self._plan.outbox.skip(left.base, left.pieces)\n",
        "",
        "doubled",
        KILLS,
    ),
    Plant(
        "a message is sent before its text is written down",
        "_journal.turn_journal:TurnJournal.sending",
        "self._flush_events()\n        self._is_sending = True",
        "self._is_sending = True",
        ":",
        KILLS,
    ),
    Plant(
        "a message does not wait for its row",
        "_journal.turn_journal:TurnJournal.sending",
        "live=live))\n        await self._journal.flush()\n",
        "live=live))\n",
        "missing",
        ("recovery_schedule.py", "300-449"),
    ),
    Plant(
        "receipts are not read",
        "_journal.reconcile:_read_outcomes",
        "                delivered += [] if pending.live else [(pending, receipt)]\n",
        "",
        "missing",
        KILLS,
    ),
)


def examine(plant: Plant | None, player: tuple[str, ...]) -> str:
    """What the schedules say of a copy with this bug, or of a clean one; nothing is good."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "src")
        shutil.copytree(ROOT / "packages/streamcord/src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        if plant is not None:
            try:
                planting.plant(copy, plant.place, plant.old, plant.new)
            except planting.CannotPlant as error:
                return f"CANNOT BE PLANTED: {error}"
        environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, str(Path(__file__).with_name(player[0])), *player[1:]]
        try:
            run = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=TRIAL_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return "no end"
    return "" if run.returncode == 0 else run.stdout + run.stderr


def describe(plant: Plant, output: str) -> tuple[bool, str]:
    """Whether it was seen, and by which seeds first."""
    seeds = re.findall(r"^seed (\d+):", output, re.MULTILINE)
    if plant.expected in output and seeds:
        return True, f"{plant.name:<56} {plant.expected!r}, by seed {seeds[0]}"
    return False, f"{plant.name:<56} MISSED {output[:300]}"


def main() -> int:
    plants = [plant for plant in PLANTS if sys.argv[1:] in ([], [plant.player[0]])]
    for player in dict.fromkeys(plant.player for plant in plants):
        if clean := examine(None, player):
            print(f"the clean copy is red:\n{clean[:2000]}")
            return 1
        print(f"clean copy: {player[0]} {player[1]} is green", flush=True)
    missed = 0
    for plant in plants:
        seen, line = describe(plant, examine(plant, plant.player))
        print(line, flush=True)
        missed += not seen
    print(f"{len(plants)} bugs, {missed} missed")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())

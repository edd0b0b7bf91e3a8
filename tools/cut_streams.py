"""Cut answers of models and look at what becomes of them; the last tables are in `bench/reports/seams.md`.

python tools/cut_streams.py seams 1000    # cuts, with fallbacks of thirteen styles; 50 seams to read
python tools/cut_streams.py new 1000      # the same with other texts and styles
python tools/cut_streams.py later 1000    # the same with texts that were written when the rules were final
python tools/cut_streams.py bytes         # streams with event ids, cut at every event and at every byte
python tools/cut_streams.py kills 40      # a process that is killed at random moments, with SIGKILL
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from providers import continuation_styles  # noqa: E402
from providers.continuation_styles import LATER_TEXTS, try_new_cut  # noqa: E402
from providers.cut_models import STYLES, TRIMMED, Trial, try_cut  # noqa: E402
from providers.resumable_server import Events, interactions, responses, resumable  # noqa: E402
from streamcord import Finish, Message, ProviderEvent, Receipt, Settings, TextDelta, Truncated, Usage, say  # noqa: E402
from streamcord._delivery.transport import FetchedMessage  # noqa: E402
from streamcord.providers import HttpProvider, Options, user  # noqa: E402
from streamcord.store import open_journal  # noqa: E402

PIECES = ["The ", "cät ", "sat on", " the m", "at. ", "昔々", "、🐈‍⬛ ", "and **slept**", ".\n\nThe end", "."]
STORY = [f"Sentence {number} of a story about a cat, a dog and a bird.\n" for number in range(1, 61)]
APIS: dict[str, tuple[str, Callable[[list[str]], Callable[[str], Events]]]] = {
    "OpenAI Responses": ("openai-responses", responses),
    "Gemini Interactions": ("google-interactions", interactions),
}


async def cut_seams(
    count: int, styles: Iterable[str], try_one: Callable[[int], Awaitable[Trial]], first: int = 0
) -> None:
    """Print a table of styles, and 50 seams."""
    trials = [await try_one(seed) for seed in range(first, first + count)]
    by_style: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_style[trial.style].append(trial)
    print("| the fallback | cuts | continued itself | refused | words lost | words doubled | equal text |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for style in styles:
        found = by_style[style]
        own = sum(trial.by == "fallback" for trial in found)
        lost, doubled = sum(one.lost for one in found), sum(one.doubled for one in found)
        equal = sum(one.is_equal for one in found)
        print(f"| {style} | {len(found)} | {own} | {len(found) - own} | {lost} | {doubled} | {equal} |")
    wrong = [one for one in trials if not one.is_equal and one.style not in TRIMMED]
    print(f"\n{len(trials)} cuts, {len(wrong)} not equal without the trimmed styles:")
    for one in wrong[:20]:
        print(f"- {one.style}: `{one.seam}`")
    print("\n50 seams:\n")
    for one in Random(35).sample(trials, 50):
        print(f"- {one.style}, {one.by}: `{one.seam}`")


async def cut_bytes() -> None:
    """Print what becomes of streams that are cut at every event and at every byte."""
    print("| API | cuts | same text | broke off before the first id | generated twice | seconds |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, (preset, kind) in APIS.items():
        make = kind(PIECES)
        sizes = [len(data) for _, data in make("answer 0/ä")]
        same = early = twice = 0
        began = asyncio.get_running_loop().time()
        for cut in range(sum(sizes)):
            async with (
                resumable(make, cuts=[cut]) as server,
                HttpProvider(preset, key="k", base_url=server.url, model="tiny") as provider,
            ):
                said, finished, usage = "", False, 0
                try:
                    async for event in provider.stream(user("Hi"), Options(resumable=True)):
                        said += event.text if isinstance(event, TextDelta) else ""
                        finished = finished or isinstance(event, Finish)
                        usage += isinstance(event, Usage)
                except Truncated:
                    assert cut < sizes[0], cut
                    early += 1
                    continue
                assert (said, finished, usage) == ("".join(PIECES), True, 1), cut
                same += 1
                twice += server.generated != 1
        seconds = asyncio.get_running_loop().time() - began
        print(f"| {name} | {sum(sizes)} | {same} | {early} | {twice} | {seconds:.0f} |")


class FileChannel:
    """A channel that is a file: what was written is there after a kill."""

    has_keys = False

    def __init__(self, file: Path) -> None:
        self._file = file

    def lines(self) -> list[str]:
        return (
            [json.loads(line) for line in self._file.read_text().splitlines()] if self._file.exists() else []
        )

    async def send(self, message: Message) -> Receipt:
        await asyncio.sleep(0.002)
        with self._file.open("a") as out:
            out.write(json.dumps(message.content) + "\n")
        return Receipt(message, len(self.lines()))

    async def typing(self) -> None:
        pass

    async def read_back(self, after: int) -> list[FetchedMessage]:
        return [FetchedMessage(number, text) for number, text in enumerate(self.lines(), 1) if number > after]


async def live(folder: Path, url: str, preset: str) -> None:
    """Answer, or go on with the answer of a process that was killed."""
    channel = FileChannel(folder / "channel.jsonl")
    async with (
        await open_journal(folder / "journal.db") as journal,
        HttpProvider(preset, key="k", base_url=url, model="tiny") as provider,
    ):
        left = await journal.unfinished()
        turn = left[0] if left else journal.begin(question=1)
        position = turn.position
        is_over = turn.saved is not None and turn.saved.complete
        if is_over or (turn.text and position is None):
            # Without a position the words are lost, which the table would show.
            source = nothing()
        else:
            source = provider.stream(user("Hi"), Options(resumable=True, resume=position))
        await say(channel, source, settings=Settings(degree=1, typing="off", message_cap=0), journal=turn)
    (folder / "done").touch()


async def nothing() -> AsyncGenerator[ProviderEvent, None]:
    """The source of an answer that is complete."""
    return
    yield


async def kill(count: int) -> None:
    """Print what becomes of answers whose process is killed again and again."""
    print("| API | answers | kills | same text | generated twice | doubled or lost messages |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, (preset, kind) in APIS.items():
        kills = same = twice = wrong = 0
        for seed in range(count):
            random = Random(seed)
            make = kind(STORY)
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                async with resumable(make, pause=0.01) as server:
                    while not (folder / "done").exists():
                        process = await asyncio.create_subprocess_exec(
                            sys.executable, __file__, "live", str(folder), server.url, preset
                        )
                        try:
                            # Starting takes most of a second.
                            patience = random.uniform(0.4, 1.6) if kills < 10 * count else 60
                            async with asyncio.timeout(patience):
                                await process.wait()
                        except TimeoutError:
                            os.kill(process.pid, signal.SIGKILL)
                            await process.wait()
                            kills += 1
                    shown = FileChannel(folder / "channel.jsonl").lines()
                same += "\n".join(shown).split() == "".join(STORY).split()
                wrong += len(shown) != len(set(shown))
                twice += server.generated > 1
        print(f"| {name} | {count} | {kills} | {same} | {twice} | {wrong} |", flush=True)


def main() -> None:
    """Run what the first argument names."""
    match sys.argv[1:]:
        case ["seams", *rest]:
            asyncio.run(cut_seams(int(rest[0]) if rest else 1000, STYLES, try_cut))
        case ["new", *rest]:
            asyncio.run(cut_seams(int(rest[0]) if rest else 1000, continuation_styles.STYLES, try_new_cut))
        case ["later", *rest]:
            try_one = partial(try_new_cut, texts=LATER_TEXTS)
            asyncio.run(cut_seams(int(rest[0]) if rest else 1000, continuation_styles.STYLES, try_one))
        case ["bytes"]:
            asyncio.run(cut_bytes())
        case ["kills", *rest]:
            asyncio.run(kill(int(rest[0]) if rest else 40))
        case ["live", folder, url, preset]:
            asyncio.run(live(Path(folder), url, preset))
        case _:
            print(__doc__)


if __name__ == "__main__":
    main()

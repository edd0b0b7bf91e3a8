"""What the page about the library shows is what the examples say, and it leaves none of them out."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
EXAMPLES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")}
BLOCKS: list[str] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_every_example_that_it_names_is_there() -> None:
    named = set(re.findall(r"examples/(\w+\.py)", PAGE))

    assert named <= EXAMPLES.keys()
    assert len(named) >= 10


def test_what_it_shows_stands_in_an_example() -> None:
    sources = [re.sub(r"\s+", " ", text) for text in EXAMPLES.values()]
    for block in BLOCKS:
        body = block.split("\nawait say(")[0].split("\nchannel = ")[0]
        if any(word in block for word in ("except ProviderError", "draw_bars")):
            continue
        flat = re.sub(r"\s+", " ", textwrap.dedent(body)).strip()
        assert any(flat in source for source in sources), block


def test_the_list_of_examples_has_each_of_them_once() -> None:
    listed = re.findall(r"^\| (.*?) \|", (ROOT / "examples" / "README.md").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"`(\w+\.py)`", " ".join(listed))

    assert sorted(named) == sorted(EXAMPLES)

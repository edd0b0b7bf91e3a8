"""A text too long for one message: where it is cut, and that each part renders as before."""

from __future__ import annotations

import re

import pytest

from streamcord._settings import Settings
from streamcord._text.layout.cut_to_limit import cut_to_limit
from streamcord._text.layout.splitter import trim
from streamcord._text.parsed_text import ParsedText
from streamcord._text.spoilers.keep_hidden import keep_hidden
from streamcord._text.traced_text import TracedText

T = "```"
FAMILY = "👨\u200d👩\u200d👧"
SETTINGS = Settings()


def split(text: str, limit: int = 33) -> list[str]:
    parts = cut_to_limit(TracedText.from_spans(text, ((0, len(text)),)), limit, SETTINGS)
    assert "".join(part.written for part in parts) == text
    contents = [trim(part.text) for part in parts]
    assert all(0 < len(content) <= limit for content in contents)
    return contents


def test_what_fits_is_not_touched() -> None:
    traced = TracedText.from_spans("\n" + "x" * 40 + " \n", ((0, 43),))
    assert cut_to_limit(traced, 40, SETTINGS) == [traced]


PLAIN = {
    "a paragraph before a line": (
        "One two three four\n\nfive six\nseven. Eight nine",
        ["One two three four", "five six\nseven. Eight nine"],
    ),
    "a line before a sentence": (
        "One two three four\nfive six. Seven eight nine",
        ["One two three four", "five six. Seven eight nine"],
    ),
    "a sentence before a space": (
        "One two three four. Five six seven eight",
        ["One two three four.", "Five six seven eight"],
    ),
    "a space before a letter": (
        "One two three four five six seven eight",
        ["One two three four five six seven", "eight"],
    ),
    "a sentence even if it costs a message": (
        "One two three four. Five six seven eight nine ten eleven twelv",
        ["One two three four.", "Five six seven eight nine ten", "eleven twelv"],
    ),
    "only in the last half": (
        "One two. Three four five six seven eight",
        ["One two. Three four five six", "seven eight"],
    ),
    "an early space before a letter": (
        "One " + "x" * 33,
        ["One", "x" * 33],
    ),
    "an early line before a letter": (
        "One\n" + "x" * 33,
        ["One", "x" * 33],
    ),
    "no message more than needed": (
        "One two three. Four five six seven eight nine ten eleven twelve.",
        ["One two three. Four five six", "seven eight nine ten eleven", "twelve."],
    ),
    "an early line is left for a sentence that saves a message": (
        "One two three four\nfive six sev. Eight nine ten eleven twelve.",
        ["One two three four\nfive six sev.", "Eight nine ten eleven twelve."],
    ),
    "and so in every message": (
        "a" * 32 + "\nOne two three four\nfive six sev. Eight nine ten eleven twelve.",
        ["a" * 32, "One two three four\nfive six sev.", "Eight nine ten eleven twelve."],
    ),
    "letters when nothing else is there": ("x" * 70, ["x" * 33, "x" * 33, "x" * 4]),
    "not inside of a grapheme": ("x" * 31 + FAMILY + "yy", ["x" * 31, FAMILY + "yy"]),
    "inside of a grapheme that cannot fit": ("e" + "\u0301" * 40, ["e" + "\u0301" * 32, "\u0301" * 8]),
    "indentation stays": (
        "One two three four five\n    six seven eight",
        ["One two three four five", "    six seven eight"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), PLAIN.values(), ids=PLAIN)
def test_plain_text_is_cut_at_the_best_place(text: str, expected: list[str]) -> None:
    assert split(text) == expected


WHOLE = {
    "a link": ("word word word [a link](https://a.b) and", ["word word word", "[a link](https://a.b) and"]),
    "a url": ("x " * 8 + "https://a.b/" + "c" * 19, ["x x x x x x x x", "https://a.b/" + "c" * 19]),
    "a mention": ("x" * 30 + "<@123> yes", ["x" * 30, "<@123> yes"]),
    "bold": ("one two three four **five six seven**", ["one two three four", "**five six seven**"]),
    "a quote": ('one two three four "five six seven"', ["one two three four", '"five six seven"']),
    "code": ("one two three four `five six seven`", ["one two three four", "`five six seven`"]),
    "a block": (f"one two three\n{T}py\nx = 1\ny = 2\n{T}", ["one two three", f"{T}py\nx = 1\ny = 2\n{T}"]),
    "what lies in what fits": (
        "one two three **four `five` six seven**",
        ["one two three", "**four `five` six seven**"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), WHOLE.values(), ids=WHOLE)
def test_what_fits_one_message_stays_whole(text: str, expected: list[str]) -> None:
    assert split(text) == expected


CARRIED = {
    "bold": (
        "**one two three four five six seven eight nine ten**",
        ["**one two three four five six**", "**seven eight nine ten**"],
    ),
    "a spoiler": (
        "||one two three four five six seven eight nine ten||",
        ["||one two three four five six||", "||seven eight nine ten||"],
    ),
    "code": (
        "`one two three four five six seven eight nine ten`",
        ["`one two three four five six `", "`seven eight nine ten`"],
    ),
    "a stack": (
        "***one two ||three four five six seven eight|| nine ten eleven***",
        ["***one two ||three four five||***", "***||six seven eight|| nine***", "***ten eleven***"],
    ),
    "what fits a message, but not with what is around it": (
        "||one two `three four five six seven ei` nine ten eleven||",
        ["||one two `three four five `||", "||`six seven ei` nine ten||", "||eleven||"],
    ),
    "one behind another": (
        "**one two three four five six seven eight** *nine ten eleven twelve thirteen fourteen*",
        [
            "**one two three four five six**",
            "**seven eight** *nine ten eleven*",
            "*twelve thirteen fourteen*",
        ],
    ),
    "a heading": (
        "# one two three four five six seven eight",
        ["# one two three four five six", "# seven eight"],
    ),
    "subtext": (
        "-# one two three four five six seven eight",
        ["-# one two three four five six", "-# seven eight"],
    ),
    "a quote line": (
        "> one two three four five six seven eight\n> nine",
        ["> one two three four five six", "> seven eight\n> nine"],
    ),
    "the lines of a quote": (
        "> one two three four five six\n> seven eight",
        ["> one two three four five six", "> seven eight"],
    ),
    "a block quote": (
        ">>> one two three four five six seven\neight nine\n\nten eleven",
        [">>> one two three four five six", ">>> seven\neight nine\n\nten eleven"],
    ),
    "a block": (
        f"{T}python\nfor a in b:\n    print(a)\n{T}",
        [f"{T}python\nfor a in b:\n{T}", f"{T}python\n    print(a)\n{T}"],
    ),
    "a block with text around": (
        f"Look here:\n{T}py\none = 1\ntwo = 2\nthree = 3\n{T}\nand so on",
        [f"Look here:\n{T}py\none = 1\n{T}", f"{T}py\ntwo = 2\nthree = 3\n{T}", "and so on"],
    ),
    "a block with a blank line": (
        f"{T}\none two three\n\nfour five six\nseven eight\n{T}",
        [f"{T}\none two three\n\n{T}", f"{T}\nfour five six\nseven eight\n{T}"],
    ),
    "a heading in a block is code": (
        f"{T}\n# one\ntwo three four five\nsix seven\n{T}",
        [f"{T}\n# one\ntwo three four five\n{T}", f"{T}\nsix seven\n{T}"],
    ),
    "a long comment in a block is no heading": (
        f"{T}\n# one two three four five six seven eight nine ten\n{T}",
        [f"{T}\n# one two three four \n{T}", f"{T}\nfive six seven eight \n{T}", f"{T}\nnine ten\n{T}"],
    ),
    "a long line of code": (
        f"{T}\n" + "x" * 60 + f"\n{T}",
        [f"{T}\n" + "x" * 25 + f"\n{T}", f"{T}\n" + "x" * 25 + f"\n{T}", f"{T}\n" + "x" * 10 + f"\n{T}"],
    ),
    "a first line of one letter is code as well": (
        f"{T}\nx\n" + "y" * 25 + f"\n{T}",
        [f"{T}\nx\n{T}", f"{T}\n" + "y" * 25 + f"\n{T}"],
    ),
    "a code line that fits is whole": (
        f"{T}\nab cd\n" + "ef gh " * 4 + f"\n{T}",
        [f"{T}\nab cd\n{T}", f"{T}\n" + ("ef gh " * 4) + f"\n{T}"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CARRIED.values(), ids=CARRIED)
def test_what_does_not_fit_is_closed_and_reopened(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize("size", range(20, 34))
@pytest.mark.parametrize("around", [(f"{T}\n", f"\n{T}"), ("**", "**"), ("||", "||"), ("``", "``")])
def test_a_closer_is_not_cut(around: tuple[str, str], size: int) -> None:
    parts = split(around[0] + "x" * size + around[1])
    assert all(part.startswith(around[0]) and part.endswith(around[1]) for part in parts)


def test_a_block_in_a_quote_is_reopened_in_a_quote() -> None:
    *_, last = split(f"> a\n> {T}py\n> one two three\n> four five six\n> {T}\n> b")
    assert last == f"> {T}py\n> four five six\n> {T}\n> b"


def test_a_line_of_code_keeps_its_indentation() -> None:
    parts = split(f"{T}\n    " + "x" * 22 + f"\n    y\n{T}")
    assert all(line.startswith(("    ", T, "x")) for part in parts for line in part.split("\n"))
    assert "    y" in "\n".join(parts).split("\n")


@pytest.mark.parametrize(
    ("text", "limit"), [(" ||", 1), (" " * 40 + "x" * 40, 33), (" " * 70 + f"{T}\nx\n{T}", 33)]
)
def test_white_space_alone_is_neither_closed_nor_reopened(text: str, limit: int) -> None:
    parts = cut_to_limit(TracedText.from_spans(text, ((0, len(text)),)), limit, SETTINGS)
    assert "".join(part.text for part in parts) == text
    assert not parts[0].text.strip()


def test_what_is_added_is_said() -> None:
    text = f"{T}py\none = 1\ntwo = 2\nthree = 3\n{T}"
    first, second = cut_to_limit(TracedText.from_spans(text, ((0, len(text)),)), 33, SETTINGS)
    assert [(added.text, added.why) for added in first.additions] == [(T, "closed")]
    assert [(added.text, added.why) for added in second.additions] == [(f"{T}py\n", "reopened")]


@pytest.mark.parametrize("quoted", ['"{}"', "({})", "[{}](https://a.b)"])
def test_what_has_no_markers_to_repeat_is_cut_like_text(quoted: str) -> None:
    text = quoted.format("one two three four five six seven eight nine")
    assert split(text)[0].endswith("six")


def test_markers_that_would_leave_no_room_are_not_repeated() -> None:
    ticks = "`" * 14
    assert split(f"a {ticks}{'x' * 40}{ticks}") == ["a", ticks + "x" * 19, "x" * 21 + ticks[:12], ticks[:2]]


def test_what_fits_only_without_the_marker_of_its_line_is_closed_and_reopened() -> None:
    assert split(f"> one `{'x' * 30}`") == ["> one", "> `" + "x" * 29 + "`", "> `x`"]


def test_an_operator_may_be_cut_off() -> None:
    assert split("one two three four five six seven || eight")[0] == "one two three four five six seven"


@pytest.mark.parametrize("limit", [1, 2, 5, 31])
def test_below_a_certain_limit_everything_is_plain(limit: int) -> None:
    parts = split(f"{T}py\nsome code here\n{T} **bold and more**", limit)
    assert "py" in "".join(parts)


HARD = [
    f"{T}py\n" + "x" * 210 + f"\n{T}",
    f"{T}" + "x" * 200 + T,
    f"{T}averylonglanguagename\n" + "  x\n" * 30 + T,
    f"{T}\n" + " " * 80 + f"x\n{T}",
    f"> {T}py\n" + "> x = 1\n" * 20 + f"> {T}",
    "***a ||b `" + "c" * 100 + "` d|| e***",
    "||" + "**a** `b` " * 20 + "||",
    "**" + "https://a.b/" + "c" * 50 + " d" * 20 + "**",
    "> " + "x" * 100 + "\n# " + "y" * 100,
    ">>> " + "- a b c\n" * 20,
    "`" + " " * 100 + "`",
    "**a" + " " * 100 + "b**",
    "||" + FAMILY * 20 + "||",
    "\n\n\n" + "x " * 40,
    "`" * 10 + "x" * 60 + "`" * 10,
]


@pytest.mark.parametrize("text", HARD)
@pytest.mark.parametrize("limit", [32, 33, 40, 64])
def test_every_part_is_within_the_limit_and_nothing_is_lost(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert len(parts) > 1
    assert all(part.count(T) % 2 == 0 for part in parts if "`" * 4 not in text)
    assert all(part.count("||") % 2 == 0 for part in parts)


def test_blank_lines_stay_behind_where_the_next_line_of_code_fits_only_without_them() -> None:
    first, second = "a" * 25, "    " + "b" * 21
    blocks = [f"{T}\n{first}\n{T}", f"{T}\n{second}\n{T}"]
    assert split(f"{T}\n{first}\n\n\n{second}\n{T}") == blocks
    assert split(f"{T}\n{first}\n\n\n{second}{T}") == [blocks[0], f"{T}\n{second}{T}"]
    assert split(f"{T}\n{first}\n\n\n{second}\n{second}\n{T}") == [*blocks, blocks[1]]
    # Where there is room for them they are shown.
    assert split(f"{T}\n{first}\n\n\nbbb\n{T}") == [blocks[0], f"{T}\n\n\nbbb\n{T}"]
    # A line that does not even fit alone is cut with them.
    assert split(f"{T}\n{first}\n\n\n{'b' * 40}\n{T}")[1].startswith(f"{T}\n\n\n")


def test_backticks_that_are_kept_apart_stay_together() -> None:
    text = "```\n" + "x" * 22 + "```y\n```"
    traced = TracedText.from_spans(text, ((0, len(text)),)).replace("fence", [(26, 29, "`\u200b`\u200b`")])
    parts = cut_to_limit(traced, 32, Settings())
    assert [part.text for part in parts] == [
        "```\n" + "x" * 22 + "\n```", "```\n`\u200b`\u200b`y\n```",
    ]  # fmt: skip
    assert [edit.before for part in parts for edit in part.edits] == ["```"]


@pytest.mark.parametrize("limit", range(33, 37))
def test_bars_stay_with_the_space_that_keeps_them_apart(limit: int) -> None:
    text = f"||a{'|' * 41}b||"
    traced = TracedText.from_spans(text, ((0, len(text)),))
    parts = cut_to_limit(traced.replace("spoiler", keep_hidden(ParsedText(text, SETTINGS))), limit, SETTINGS)
    assert [edit.after for part in parts for edit in part.edits] == ["\u200b|"] * 40


@pytest.mark.parametrize("newline", ["\n", "\u2028", "\u2029", "\x85"])
def test_a_line_of_code_ends_where_it_is_drawn_to_end(newline: str) -> None:
    lines = ["one two three four", "five six seven"]
    shown = split(f"{T}\n{newline.join(lines)}\n{T}", 32)
    assert [part.strip(f"`{newline}\n") for part in shown] == lines


@pytest.mark.parametrize(
    "text",
    [
        "\n \n\n> ||" + "x" * 26 + "||",
        "\n\n>>> ||" + "x" * 24 + "||\n||" + "y" * 20 + "||",
        "  > ||" + "x" * 26 + "||\n  > ||y||",
        ">>> ||a||\n>>> ||" + "x" * 24 + "||",
        ">>> # ||" + "x" * 24 + "||\nand more of it",
    ],
)
def test_what_is_hidden_behind_the_marker_of_its_line_is_closed_in_every_part(text: str) -> None:
    for part in split(text, 32):
        assert part.count("||") % 2 == 0
        for bare in re.split(r"\|\|.*?\|\|", part):
            assert not {"x", "y"} & {*bare}


def test_blank_lines_before_a_text_take_no_room() -> None:
    assert split("\n \n\n" + "x" * 33) == ["x" * 33]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one two three four\n- ||aaaa\n- bbbb||", ["one two three four", "- ||aaaa||\n- ||bbbb||"]),
        ("one ||" + "a" * 22 + "\n- bb|| c", ["one ||" + "a" * 22 + "||", "- ||bb|| c"]),
        ("> __one two three ||aaa\n> bbb|| c__", ["> __one two three__", "> __||aaa||\n> ||bbb|| c__"]),
        (
            "> __one two ||aaaaaaaaaaaa\n> bbbbb|| c__",
            ["> __one two ||aaaaaaaaaaaa||__", "> __||bbbbb|| c__"],
        ),
    ],
)
def test_a_spoiler_on_several_lines_is_one_piece_if_it_fits(text: str, parts: list[str]) -> None:
    traced = TracedText.from_spans(text, ((0, len(text)),))
    hidden = traced.replace("spoiler", keep_hidden(ParsedText(text, SETTINGS)))
    assert [trim(part.text) for part in cut_to_limit(hidden, 33, SETTINGS)] == parts


@pytest.mark.parametrize("before", ["", "x", "xx", "xxx"])
def test_no_cut_leaves_a_backslash_before_what_closes(before: str) -> None:
    parts = split(before + "||" + "\\*" * 40 + "\\ z||", 33)
    assert len(parts) > 2
    assert [part for part in parts if "\\||" in part or part.count("||") != 2] == []


def test_code_is_not_cut_before_a_backtick() -> None:
    assert split("``one two three four five six seve `x``", 36) == [
        "``one two three four five six ``",
        "``seve `x``",
    ]


def test_a_code_block_in_a_spoiler_has_room_for_the_quote_around_it() -> None:
    text = f">>> ||{'a' * 30}||\n\n||{T}py\nprint('{'x' * 14}')\n{T}||"
    parts = split(text, 40)
    assert [part for part in parts if part.count("||") != 2 or not part.startswith(">>> ")] == []


@pytest.mark.parametrize("size", range(24, 44))
def test_the_bars_of_a_spoiler_are_never_cut_apart(size: int) -> None:
    text = f">>> ||{T}py\n{'x' * size}\n{T}||"
    for part in split(text, 36) + split(text, 40):
        assert part.count("||") == 2
        assert not {"x"} & {*re.sub(r"\|\|.*?\|\|", "", part, flags=re.DOTALL)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One two three four.\n# Two\nFive six seven.", ["One two three four.", "# Two\nFive six seven."]),
        (
            "One two three.\n---\n**Two**\nFive six seven.",
            ["One two three.", "---\n**Two**\nFive six seven."],
        ),
        ("# One two three four\n# Five\nSix seven.", ["# One two three four\n# Five", "Six seven."]),
        ("# One two three four five\nSix seven eight.", ["# One two three four five", "Six seven eight."]),
    ],
)
def test_headings_stay_with_what_they_head(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_many_headings_are_cut_like_lines() -> None:
    assert [part.count("\n") for part in split("# a\n" * 300, limit=600)] == [149, 149]

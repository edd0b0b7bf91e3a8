"""Columns share the width, words stay whole, long ones are broken."""

from __future__ import annotations

from streamcord._events import Style, Words
from streamcord._render.fonts import NEWLINE, Atom, FontSet, find_fonts, read_atoms
from streamcord._render.table_layout import AtomMeasurer, fit_columns, layout_table
from streamcord._render.table_style import DARK, LIGHT, PHONE

# --- Columns share the width, words stay whole, long ones are broken ---

MEASURER = AtomMeasurer(DARK, FontSet())


def atoms(*texts: str) -> list[Atom]:
    return [Atom(text, Style(0), family=FontSet().find("a")) for text in texts]


def test_columns_get_what_they_want_if_there_is_room() -> None:
    assert fit_columns([10, 20], [5, 5], 100, 200) == [10, 20]


def test_columns_share_the_room_by_how_much_text_they_have() -> None:
    narrow, wide, widest = fit_columns([10, 60, 110], [5, 20, 20], 110, 200)

    assert narrow < wide < widest
    assert 100 < narrow + wide + widest <= 110


def test_one_endless_cell_does_not_take_everything() -> None:
    first, second = fit_columns([400, 90_000], [60, 60], 400, 400)

    assert first > 150
    assert second >= first


def test_where_words_must_be_broken_the_longest_give_way() -> None:
    assert fit_columns([30, 900, 900], [30, 300, 300], 240, 240) == [30, 105, 105]


def test_words_make_a_table_wider_up_to_a_point() -> None:
    assert sum(fit_columns([300, 300], [90, 90], 100, 400)) == 180
    assert sum(fit_columns([900, 900], [300, 300], 100, 400)) <= 400


def test_a_line_is_wrapped_between_words_and_at_line_breaks() -> None:
    width_limit = MEASURER.width(atoms("word")[0]) + 1
    lines = MEASURER.wrap(atoms("word", " ", "word", NEWLINE, "x"), width_limit)

    assert [[placed.atom.text for placed in line.placed] for line in lines] == [["word"], ["word"], ["x"]]


def test_a_word_wider_than_its_column_is_broken_and_nothing_is_lost() -> None:
    lines = MEASURER.wrap(atoms("w" * 50), 100)

    assert len(lines) > 1
    assert "".join(placed.atom.text for line in lines for placed in line.placed) == "w" * 50
    assert all(placed.x + placed.width <= 100 for line in lines for placed in line.placed)


def test_a_table_has_a_height_for_each_row() -> None:
    layout = layout_table([[atoms("a"), atoms("b")], [atoms("1"), atoms("2", NEWLINE, "3")]], MEASURER)

    assert layout
    assert len(layout.widths) == 2
    assert layout.heights[1] > layout.heights[0]


# --- The three looks: dark, light, and one for a phone ---


def test_a_phone_gets_a_narrower_table_in_smaller_letters() -> None:
    assert PHONE.width < DARK.width
    assert PHONE.size < DARK.size


def test_light_and_dark_differ_in_colours_alone() -> None:
    assert (LIGHT.width, LIGHT.size, LIGHT.pad) == (DARK.width, DARK.size, DARK.pad)
    assert LIGHT.text != DARK.text


def test_a_table_is_made_wider_before_it_becomes_too_tall() -> None:
    long = [atoms(*["word", " "] * 60)]
    low = layout_table([long, long], MEASURER)
    tall = layout_table([long, *[long] * 12], MEASURER)

    assert low
    assert tall
    assert sum(tall.widths) > sum(low.widths)
    assert sum(tall.widths) <= DARK.max_width * DARK.scale


def test_a_line_of_a_script_that_runs_to_the_left_is_placed_from_the_right() -> None:
    fonts = find_fonts()
    measurer = AtomMeasurer(DARK, fonts)
    (line,) = measurer.wrap(read_atoms((Words("שלום Ann"),), fonts), 10_000)

    assert line.right_to_left
    assert [placed.atom.text for placed in line.placed] == ["Ann", " ", "שלום"]

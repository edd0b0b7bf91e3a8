"""Small letters: which capitals go, and which belong to acronyms, codes, names and addresses."""

from __future__ import annotations

import re

import pytest

from streamcord._text.layout.lowercase import CAPITALS, is_turkish, lower_word
from streamcord._text.traced_text import Edit


def lower(text: str, kept: bytearray | None = None) -> str:
    edits: list[Edit] = []
    done = 0
    for capital in re.finditer(f"[{CAPITALS}]", text):
        if capital.start() >= done:
            done = lower_word(text, capital.start(), done, kept, edits, turkish=is_turkish(text))
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


LETTERS = {
    "I'm Here And I Stay": "i'm here and i stay",
    "Plan B For Mr. T": "plan B for mr. T",
    "NASA's GPS-like COVID-19 MP3 3D H2O": "NASA's GPS-like COVID-19 MP3 3D H2O",
    "DON'T Wh-WHAT": "DON'T wh-WHAT",
    "Ph.D. Student": "Ph.D. student",
    "Imho Lol-ing BTW Rn": "Imho Lol-ing BTW Rn",
    "iPhone McDonald": "iPhone McDonald",
    "E\u0301lan": "e\u0301lan",
    "これはTestとNASAとIさん": "これはtestとNASAとIさん",
    "_Ital_ __NASA__ Snake_Case": "_ital_ __NASA__ Snake_Case",
    "@Bob and #General": "@Bob and #General",
    "\u0130stanbul \u1e9e ΟΔΟΣ Οδος": "istanbul ß ΟΔΟΣ οδος",
    "Привет МИР": "привет МИР",
    "abc 123 :-D": "abc 123 :-D",
}


@pytest.mark.parametrize(("text", "expected"), LETTERS.items())
def test_words_are_small_unless_they_are_acronyms(text: str, expected: str) -> None:
    assert lower(text) == expected


TOKENS = {
    "Join discord.gg/AbCdEf or Example.com": "join discord.gg/AbCdEf or Example.com",
    "HelloWorld123 Room5 5Th": "HelloWorld123 Room5 5Th",
    "MyClass getUserName Spider-Man": "MyClass getUserName spider-man",
    "src/Main C:\\Users Bob@Mail.Example": "src/Main C:\\Users Bob@Mail.Example",
    "Hi.There Node.js": "Hi.There node.js",
    "UwU xD T_T O_o :D >:P": "UwU xD T_T O_o :D >:P",
    "Oh O.o T-T T^T so B-) O:) :'D": "oh O.o T-T T^T so B-) O:) :'D",
    "(T▽T) (TдT) Σ(°Д°) (；´Д｀) Да": "(T▽T) (TдT) Σ(°Д°) (；´Д｀) да",
    "Nice B)": "nice B)",
    "A) Rome B) Oslo": "A) rome B) oslo",
    "(Plan B) and Plan B": "(plan B) and plan B",
    "F = ma, E=mc² and A": "F = ma, E=mc² and A",
    "Open Index.html and Config.JSON, Sig.ra": "open Index.html and Config.JSON, sig.ra",
    "Я думаю И ты": "я думаю и ты",
    "SO AM I": "SO AM I",
    "Й": "й",
    "ⓐⒷ": "ⓐⒷ",
    "Işık İyi Ilık KIŞ": "ışık iyi ılık KIŞ",
    "I know Ağrı": "ı know ağrı",
    "I. Dünya Savaşı": "I. dünya savaşı",
    "Two DVDs, au XXe": "two DVDs, au XXe",
    "A USB stick, I DO care": "a USB stick, i DO care",
    "I KNOW": "I KNOW",
    "W XX w.": "w XX w.",
    "R$ 20 at 30 °C": "R$ 20 at 30 °C",
    "My USB-C plug, a T-Shirt, Oh no D:": "my USB-C plug, a t-shirt, oh no D:",
    "Drive D is": "drive D is",
    "O_o Hm": "O_o hm",
}


SYMBOLS = {
    "The time is O(n log n)": "the time is O(n log n)",
    "O(n log n) is fast": "O(n log n) is fast",
    "복잡도는 O(n log n)입니다": "복잡도는 O(n log n)입니다",
    "I. Introduction": "I. introduction",
    "Let A be a set, B another": "let A be a set, B another",
    "A ∪ B, A and B, A - B, (A, B)": "A ∪ B, A and B, A - B, (A, B)",
    "A is a set": "A is a set",
    "A dog. A cat (A big one)": "a dog. a cat (a big one)",
    "V = I * R, I think": "V = I * R, i think",
    "X marks the spot": "X marks the spot",
    "Once Upon A Time": "once upon a time",
    "Take vitamin C": "take vitamin C",
    "Y así fue": "y así fue",
    "At 273 K, 50 Hz, 5 V and 10Mbps": "at 273 K, 50 Hz, 5 V and 10Mbps",
    "Hz is a unit, 5 Apples": "hz is a unit, 5 apples",
    "The Δ of Ω": "the Δ of Ω",
    "Η Αθήνα": "η αθήνα",
}


@pytest.mark.parametrize(("text", "expected"), SYMBOLS.items())
def test_symbols_and_units_keep_their_case(text: str, expected: str) -> None:
    assert lower(text) == expected


@pytest.mark.parametrize(("text", "expected"), TOKENS.items())
def test_addresses_codes_and_names_in_code_keep_their_form(text: str, expected: str) -> None:
    assert lower(text) == expected


def test_what_is_kept_keeps_its_form() -> None:
    assert lower("Hello Luna", bytearray([0] * 6 + [1] * 4)) == "hello Luna"
    assert lower("Hello-Luna", bytearray([0] * 6 + [1] * 4)) == "hello-Luna"


def test_a_long_token_is_read_in_bounds() -> None:
    assert lower("Aa-" * 5000) == "aa-" * 5000

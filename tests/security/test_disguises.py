"""Generated attacks: no disguised secret is shown, no label pretends an address, and honest text stays as it is.

`tools/fuzz_security.py` runs the same attacks for as long as it is told.
"""

from __future__ import annotations

import re
import time
import unicodedata
from random import Random

import pytest

from security.attacks import ATTACKS
from security.disguises import CODE, SHAPES, TARGETS, disguise, honest_links, leak, pretending_label
from streamcord import Settings
from streamcord._common.link_syntax import link_syntax
from streamcord._common.redaction import UNSEEN
from streamcord.utils import SecretFilter, make_links_safe

COUNTS = {"known-secrets": 300, "keys": 500, "links": 250, "prompts": 300, "instructions": 300, "logs": 500}
LARGEST_SHARE = 0.01
"""Share of honest links and of honest code that may be changed."""


@pytest.mark.parametrize("kind", ATTACKS)
def test_no_generated_attack_succeeds(kind: str) -> None:
    assert [found for seed in range(COUNTS[kind]) if (found := ATTACKS[kind](seed))] == []


def test_the_generators_are_large_and_do_disguise() -> None:
    random = Random(1)
    assert len(TARGETS) >= 20
    assert len(SHAPES) == 12
    assert len({pretending_label(random) for _ in range(700)}) >= 500
    key = SHAPES["openai"](random)
    texts = {disguise(key, random) for _ in range(700)}
    assert len(texts) >= 500
    # As it is written, most of them do not contain the key; almost all of them show it.
    assert sum(key in text for text in texts) < len(texts) / 2
    assert sum(bool(leak(key, [text], size=8)) for text in texts) > 0.9 * len(texts)


def test_nothing_invisible_splits_a_secret() -> None:
    """All control and format characters, and all code points that Unicode reserves for no character."""
    unseen = re.compile(f"[{UNSEEN}]")
    letters = [chr(code) for code in (*range(0x20000), *range(0xE0000, 0xE1000), 0x10FFFE, 0x10FFFF)]
    hidden = [one for one in letters if unicodedata.category(one) in {"Cc", "Cf"} and one not in "\t\n\r"]
    hidden += [one for one in letters if ord(one) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(one) <= 0xFDEF]
    assert [hex(ord(one)) for one in hidden if not unseen.match(one)] == []


def test_links_are_found_in_linear_time() -> None:
    texts = ("](", "[a](u '", "(", "[a](\\", "' )", "[a](<", "[a](  ")
    for text in texts:
        short, long = (
            min(_seconds((text * length)[:length]) for _ in range(3)) for length in (5_000, 20_000)
        )
        assert long < 12 * max(short, 0.001), text


def _seconds(text: str) -> float:
    start = time.thread_time()
    link_syntax(f"{text} x")
    return time.thread_time() - start


def test_honest_links_stay() -> None:
    links = [link.text for link in honest_links()]
    changed = [text for text in links if make_links_safe(text, Settings()) != text]
    assert len(links) >= 200
    assert len(changed) <= LARGEST_SHARE * len(links), changed


def test_honest_code_stays() -> None:
    secrets = SecretFilter(
        ["MTAwMDAwMDAwMDAwMDAwMDAx.GhIjKl.aB3-_xQd8__fTzP0-kLmN_2vW9yRsAb_Cd", "p*ss_w0rd~of|the`base"]
    )
    assert [text for text in CODE if secrets.hide(text) != text] == []

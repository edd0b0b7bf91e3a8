"""Text that is none of a rule's business comes back unchanged: every change is one that a rule is for.

The pages are code, logs and the like outside of code blocks, where rules could do most harm. `CHANGES` names
every change in them. For the answers of the corpus, if it is there, each rule says what it may touch.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from invariants import run
from streamcord._events import Added, Degree, Dropped, Message, Replaced
from streamcord._settings import AnswerContext, Emoji, Person, Persona, Settings, Sprite

PAGES = sorted((Path(__file__).parent / "pages").glob("*.txt"))
CORPUS = Path(__file__).parent.parent.parent / "shared" / "corpus" / "answers.jsonl"

CAST = AnswerContext(
    persona=Persona("Luna", ("Moon",), "luna.png", (Sprite("mad"), Sprite("ghost", identity=True))),
    personas=(Persona("Ren"), Persona("Mika")),
    people=tuple(Person(n, f"person{n:02}", (f"Person Number {n}", f"Nick{n}")) for n in range(1, 51)),
    emoji=tuple(Emoji(f"emoji_{n}", 10_000 + n, animated=n % 5 == 0) for n in range(250)),
    recent_messages=("Hi :emoji_7: there", "<:emoji_8:10008>"),
)
GUARDED = Settings(speaker_guard="known", tables="off", humanize=False, message_cap=0)

# Every change in the pages, by rule; a change that is not here is a fault.
CHANGES: dict[str, set[tuple[str, str, str]]] = {"html": {("emoji", ":smile:", "😄")}}

# What a rule may touch in any text; a rule that is not here may touch nothing.
BUSINESS = {
    "convert markdown": re.compile(
        r"#{4,6}[ \t]+|[^\n][ \t#]*|[ \t]*<br[ ]?/?>[ \t]*\n?|\[[ xX]\]|!|!\[\]\([^\n]+\)"
        r"|(?:[-*_][ \t]?){3,}|\\\(.+\\\)|\\\[.+\\\]|\$.+\$|\\begin\{[\s\S]+\\end\{\w+\*?\}"
        # A command of LaTeX outside of a formula.
        r"|\\[a-z]+(?:\{[^{}\n]+\})+",
        re.IGNORECASE,
    ),
    "emoji": re.compile(r" ?(?::[A-Za-z0-9_]+:|<a?:[A-Za-z0-9_]+:\d*>) ?"),
    "emoji repeat": re.compile(r" ?(?::[A-Za-z0-9_]+:|<a?:[A-Za-z0-9_]+:\d*>) ?"),
    "system note": re.compile(r" ?\[system:[^\n]*\] ?", re.IGNORECASE),
    "end of turn": re.compile(r" ?<[|｜]?\w+[|｜]?> ?"),
    "blank lines": re.compile(r"\s+"),
    "own name": re.compile(r"(?:\*\*)?(?:Luna|Moon)\W+"),
    "mention": re.compile(r"@.+"),
    "operator": re.compile(r"\|\|"),
    "orphan punctuation": re.compile(r"\s*"),
    "punctuation": re.compile(r"\s*"),
    "fence": re.compile(r"[`~]+"),
    "carriage return": re.compile(r"\r"),
}


def changes(text: str, degree: int) -> list[Replaced]:
    """All that was changed; nothing else may be missing or added but white space and closers."""
    events = run(replace(GUARDED, degree=Degree(degree)), [text], context=CAST)
    found = [event for event in events if isinstance(event, Replaced)]
    for event in events:
        if isinstance(event, Dropped):
            assert event.reason in ("white space", "fragment")
        if isinstance(event, Message):
            found += event.edits
            assert [added for added in event.added if not _is_marker(added)] == []
            assert event.speaker is None
    return found


def _is_marker(added: Added) -> bool:
    return added.why in ("closed", "reopened")


@pytest.mark.parametrize("degree", range(4))
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_changes_only_as_it_is_listed(path: Path, degree: int) -> None:
    text = path.read_text(encoding="utf-8")
    found = {(edit.rule, edit.before, edit.after) for edit in changes(text, degree)}
    found = {change for change in found if change[0] not in ("blank lines", "punctuation")}
    assert found <= CHANGES.get(path.stem, set())
    if degree == 0:
        assert found == CHANGES.get(path.stem, set())


def test_there_are_pages_of_every_kind() -> None:
    kinds = {"python", "cpp", "html", "yaml", "logs", "transcript", "chemistry"}
    assert {path.stem for path in PAGES} == kinds
    assert CHANGES.keys() <= kinds


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
@pytest.mark.parametrize("degree", [0, 2])
def test_answers_of_the_corpus_change_only_by_what_a_rule_is_for(degree: int) -> None:
    odd = []
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        for edit in changes(answer["text"], degree):
            business = BUSINESS.get(edit.rule)
            if business is None or not business.fullmatch(edit.before):
                odd.append((answer["id"], edit.rule, edit.before, edit.after))
    assert odd == []


def test_the_rules_do_run_on_what_is_theirs() -> None:
    text = "Luna: hi :emoji_1: @person07 :emoji_7: :nobody: ![x](https://a.b)"
    rules = {edit.rule for edit in changes(text, 0)}
    assert rules == {"own name", "emoji", "mention", "emoji repeat", "convert markdown"}

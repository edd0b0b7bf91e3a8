"""Find what a model says before it continues, although no one asked for it.

Some announce the rest ("Sure, continuing:"), quote the end of the text, or open the code block once more. Each such
beginning is a `LeadIn`. Some kinds are certain by themselves. Others may be the answer's own words ("Here is the
code:"); they count only if what follows them repeats the end of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .echo_checks import Written

MAX_LEAD_IN_CHARS = 160
MAX_REMARK_CHARS = 40
"""The longest line such as "Of course!" that says nothing of the answer."""
MAX_SUFFIX_CHARS = 3
"""The longest ending of a word that means "continued", as in Japanese."""

_OPENERS = (
    r"sure|certainly|of course|absolutely|okay|ok|alright|here(?:'s|’s| is| are)|apologies|sorry|i apologi[sz]e|"
    r"my apologies|understood|got it|let me|natürlich|gerne|klar|hier|entschuldig\w*|por supuesto|claro|aquí|perdón|"
    r"bien sûr|d['’]accord|voici|désolée?|certo|ecco|oczywiście|конечно|хорошо|извините|"
    r"はい|承知|了解|好的|当然|當然|抱歉|네|물론"
)
# Words that say that something goes on.
_GO_ON = (
    r"continu\w*|contin[uú]\w*|continú\w*|resum(?:e|ing)\b|the rest\b|remainder|left off|"
    r"fortsetz\w*|fortfahr\w*|weiter\w*|"
    r"продолж\w*|kontynu\w*|vervolg\w*|verder\b|fortsätt\w*|jatk\w*|συνεχ\w*|devam\w*|tiếp|lanjut\w*|suite\b|"
    r"继续|繼續|接着|接著|续|続|계속|이어|ต่อ|जारी|आगे|تابع|أكمل|نكمل|המשך|ממשיכ"
)
_HAS_GO_ON = re.compile(rf"(?<!\w)(?:{_GO_ON})|[继繼續续続]", re.IGNORECASE)
_OPENS = re.compile(rf"(?:{_OPENERS})(?![a-zà-ÿ])", re.IGNORECASE)
_GOES_ON = re.compile(_GO_ON, re.IGNORECASE)
# A line of its own, and what separates it from the rest.
_LINE = re.compile(r"([^\n]*[:：.!…。！])[*_]*[ \t]*\n+(?=[^\n])")
# "(continued)", "**Continued:**", "Sure, continuing:" before words of the same line.
_MARK = re.compile(
    r"[*_]*[(\[【]\s*(?:continued|continuing|cont\.?|fortsetzung|continuación|suite|续|続き|продолжение)[^\n)\]】]*"
    r"[)\]】][*_]*:?\s*(?=\S)",
    re.IGNORECASE,
)
_SAME_LINE = re.compile(
    rf"(?P<marks>[*_]*)(?P<opens>(?:(?:{_OPENERS})[,!. ]+)*)(?:{_GO_ON})(?P<more>[^\n:：*_]{{0,40}})"
    r"(?:[:：](?P=marks)|(?P=marks)[:：])\s*(?=\S)",
    re.IGNORECASE,
)
# A model that numbers a list again begins its item with a marker of its own.
_ITEM = re.compile(r"(\d{1,3}[.)]|[-*+•])[ \t]+(?=\S)")
_DOTS = re.compile(r"(?:\.{3}|…)[ \t]*(?=\S)")
_WORD_WITH_DOTS = re.compile(r"\s\.{3}\w")
_QUOTE = re.compile(r"(?:>[ \t]*|[\"“”«»„'‘’`]|\.{3}|…)+[ \t]*(?=\S)")
_FENCE = re.compile(r"(```+)([^\n`]*)\n(?=.)", re.DOTALL)
_OPEN_FENCE = re.compile(r"^[ \t]*```+([^\n`]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LeadIn:
    """A beginning that does not belong to the answer."""

    length: int
    is_certain: bool
    """Whether it counts even if what follows does not repeat the end of the text."""
    is_quote: bool = False
    """Whether what follows it is a quotation of the end, after which the text may be repeated once more."""


def may_lead_in(text: str) -> bool:
    """Return whether the text begins like an announcement, so that a short repetition in it means nothing."""
    begins = text.lstrip(" \n*_([")
    return _OPENS.match(begins) is not None or _GOES_ON.match(begins) is not None


def find_lead_in(text: str, written: Written) -> LeadIn | None:
    """Return the lead-in with which a continuation begins, if there is one.

    Args:
        text: the continuation so far.
        written: the text before it.

    """
    skipped = len(text) - len(text.lstrip())
    rest = text[skipped:]
    found = _find(rest, written)
    if found is None or found.length > MAX_LEAD_IN_CHARS:
        return None
    return LeadIn(skipped + found.length, found.is_certain, found.is_quote)


def _find(rest: str, written: Written) -> LeadIn | None:
    return _find_mark(rest, written) or _find_announcement(rest, written) or _find_quote(rest, written)


def _find_mark(rest: str, written: Written) -> LeadIn | None:
    """Return a mark such as "(continued)", or a fence or an item that is begun once more."""
    if mark := _MARK.match(rest):
        return LeadIn(mark.end(), is_certain=True)
    if written.in_code and (fence := _FENCE.match(rest)):
        # A closing fence names no language.
        # Lines of code may begin with backticks, too, and open nothing.
        fences = _OPEN_FENCE.findall(written.text)
        opened = fences[-1].strip() if fences else ""
        return LeadIn(fence.end(), is_certain=bool(opened) and fence[2].strip() == opened)
    if (item := _ITEM.match(rest)) and written.ends_with_marker:
        return LeadIn(item.end(), is_certain=True)
    return None


def _find_quote(rest: str, written: Written) -> LeadIn | None:
    if dots := _DOTS.match(rest):
        # In chess, "...Bg4" is a move of Black.
        if dots[0] == "..." and _WORD_WITH_DOTS.search(written.text):
            return None
        return LeadIn(dots.end(), is_certain=True)
    if quote := _QUOTE.match(rest):
        return LeadIn(quote.end(), is_certain=False, is_quote=True)
    return None


def _find_announcement(rest: str, written: Written) -> LeadIn | None:
    if rest[:1].islower() and written.is_open:
        # In mid-sentence a line in lower case continues it.
        return None
    if same := _SAME_LINE.match(rest):
        # "Continue with these steps:" may be the answer's own.
        certain = bool(same["opens"]) or len(same["more"]) <= MAX_SUFFIX_CHARS or written.is_in_sentence
        return LeadIn(same.end(), is_certain=certain)
    line = _LINE.match(rest)
    if line is None:
        return None
    opens = _OPENS.match(rest.lstrip("*_")) is not None
    said = line[1].rstrip("*_")
    is_colon, is_short = said[-1:] in ":：", len(said) <= MAX_REMARK_CHARS
    if set(":：").intersection(said[:-1]):
        # After a colon the answer may go on.
        return None
    # "Here is the code:" is an announcement only in mid-sentence.
    is_remark = written.is_in_sentence and (is_colon or is_short)
    certain = opens and (is_remark or _HAS_GO_ON.search(said) is not None)
    if opens or (is_colon and line[0].count("\n") > 1 and written.is_open):
        return LeadIn(line.end(), is_certain=certain)
    return None

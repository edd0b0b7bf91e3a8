"""Read the markers inside a line: opening and closing delimiters, and opaque spans.

Each reader gets the position of the character it is registered for and returns where to continue, or `NEED_MORE`.
Opening delimiters go onto the scanner's stack, closing ones close what they can, opaque pieces become spans.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from ..._events import Boundary
from ..language.emoticons import emoticon_around, find_emoticons, is_between_eyes
from ..language.punctuation import CLOSERS, ENDS, SPACES, class_of
from ..language.sentences import find_sentence_end
from ..math.detect import MAX_DOLLAR_CHARS, MAX_FORMULA_CHARS, find_formula_end
from ..tokens import LINE_REACH, NEED_MORE, NOT_FOUND, is_word
from .delimiter_stack import Span, SpanKind
from .inline_code_and_urls import ANY, TAG_REACH, URL_STOP_CHARS, find_link_end, find_tag_end, find_url_end
from .line_kinds import Line, find_item
from .spoiler_markup import read_pipes

if TYPE_CHECKING:
    from collections.abc import Callable

    from .scanner import Scanner

Reader: TypeAlias = "Callable[[Scanner, int, bool], int]"

LOOK_BACK = 640
"""Characters kept before a cut, so that a reader can see what precedes a character however text is chunked."""

NESTED = 16
"""Brackets that may be open at once; deeper ones are text."""

_INVERTED = {"“": "„", "«": "»"}  # what closes in some languages and opens in others
PAIRS = dict(zip("(（「『｢【〈《«‹“„", ")）」』｣】〉》»›”“", strict=True))
"""Brackets and quotes whose opening and closing delimiter differ."""
_OPENING_OF = {closing: opening for opening, closing in PAIRS.items()}

_SENTENCE_LINES = frozenset({Line.PROSE, Line.ITEM})
_WORD_AFTER = re.compile(r" [^\W\d_][^)）、.]")
_TAG_STOP = re.compile(r"[<>\n|]")
_FORMULA_STOP = re.compile(r"[)}\n\]]")
_DISPLAY_STOP = re.compile(r"[$\n]")
_DOLLAR_STOP = re.compile(r"[$\n` \t]")
_PAREN_OR_NEWLINE = re.compile(r"[()\n]")
_RUN = {mark: re.compile(re.escape(mark) + "+") for mark in "*_~$"}
_ENDS = re.compile(f"[{class_of(ENDS)}]+")
_ONLY_CLOSERS = re.compile(f"[{class_of(CLOSERS, SPACES)}“‘«]*")
# Remarks out of character, as role players write them.
_OOC_BRACE = re.compile(r"(\{\{?)[ \t]?OOC(?!\w)", re.IGNORECASE)
_PARTIAL_OOC_BRACE = re.compile(r"\{\{?(?:[ \t]?(?:O(?:OC?)?)?)\Z", re.IGNORECASE)
_OOC_BRACKET = re.compile(r"\[(/?)OOC(?:([\]:])|(?= ))", re.IGNORECASE)
_PARTIAL_OOC_BRACKET = re.compile(r"\[/?(?:O(?:OC?)?)?\Z", re.IGNORECASE)
_OOC_STARTS = frozenset({"", "O", "o", "/"})
_OOC_BLOCK, _OOC_NOTE = "[OOC]", "[OOC"  # their opening delimiters
_EMOTICON_EYES = frozenset(":;=")
_EMOTICON_NOSES = frozenset("-^o,~'")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def read_escape(scanner: Scanner, at: int, final: bool) -> int:
    if at + 1 == len(scanner.text):
        return at + 1 if final else NEED_MORE
    after = scanner.text[at + 1]
    if after in "([" or after.isalpha():
        end = _read_formula(scanner, at, final)
        if end != NOT_FOUND:
            return end
    return at + 2 if after in _PUNCTUATION else at + 1


def read_dollar(scanner: Scanner, at: int, final: bool) -> int:
    end = _read_formula(scanner, at, final)
    return end or _RUN["$"].match(scanner.text, at).end()  # type: ignore[union-attr]


def _read_formula(scanner: Scanner, at: int, final: bool) -> int:
    """Read a formula, which is one opaque span."""
    in_row = scanner.line in (Line.TABLE, Line.PIPE)
    end = find_formula_end(scanner.text, at, final=final, one_line=in_row)
    if end == NEED_MORE:
        return _await_formula(scanner, at)
    if end == NOT_FOUND or ("||" in scanner.delimiters and scanner.text.count("||", at, end) % 2):
        return NOT_FOUND  # the pipes in it end a spoiler
    scanner.delimiters.spans.append(Span(SpanKind.FORMULA, at, end))
    return end


def _await_formula(scanner: Scanner, at: int) -> int:
    """Wait for a character that may end the formula; while its closing marker may still grow, for any."""
    text = scanner.text
    if text[at] != "$":
        boxed = text.startswith(("\\be", "\\bo"), at) and text.find("}", at, at + TAG_REACH) > 0
        known = boxed or text[at + 1] in "(["
        return scanner.wait(_FORMULA_STOP if known else ANY, at + MAX_FORMULA_CHARS)
    if text[-1] == "$" or (at and is_word(text[at - 1])):
        return scanner.wait(ANY, at + MAX_FORMULA_CHARS)
    if text[at + 1] == "$":
        return scanner.wait(_DISPLAY_STOP, at + MAX_FORMULA_CHARS)
    # A second dollar is there: the next character decides whether it closes the formula.
    closed = text.find("$", at + 1) > 0
    return scanner.wait(ANY if closed else _DOLLAR_STOP, at + MAX_DOLLAR_CHARS)


def read_tag(scanner: Scanner, at: int, final: bool) -> int:
    end = find_tag_end(scanner.text, at, final=final)
    if end == NEED_MORE:
        return scanner.wait(_TAG_STOP if len(scanner.text) > at + 5 else ANY, at + TAG_REACH)
    if end == NOT_FOUND:
        return at + 1
    scanner.delimiters.spans.append(Span(SpanKind.TAG, at, end))
    return end


def read_slash(scanner: Scanner, at: int, final: bool) -> int:
    """Read a bare URL, which is recognized by its `://`."""
    text = scanner.text
    size = _scheme(text, at - 1) if text[at - 1 : at] == ":" else 0
    start = at - 1 - size
    if not size or (start and is_word(text[start - 1])):
        return at + 1
    if not text.startswith("//", at):
        return NEED_MORE if at + 1 == len(text) and not final else at + 1
    end = find_url_end(text, start, final=final)
    if end == NEED_MORE:
        return scanner.wait(URL_STOP_CHARS, start + LINE_REACH)
    scanner.delimiters.spans.append(Span(SpanKind.URL, start, end))
    return max(end, at + 2)


def _scheme(text: str, end: int) -> int:
    """Return the length of the web scheme that ends here, or 0."""
    scheme = text[max(0, end - 5) : end].lower()
    return 5 if scheme.endswith("https") else 4 if scheme.endswith("http") else 0


def read_brace(scanner: Scanner, at: int, final: bool) -> int:
    """Read `{{OOC: …}}` and `{OOC: …}`, which stay whole."""
    opening = _OOC_BRACE.match(scanner.text, at)
    if opening is None:
        partial = not final and _PARTIAL_OOC_BRACE.match(scanner.text, at)
        return NEED_MORE if partial else at + 1
    scanner.delimiters.push(opening[1], at, scanner.settings.unmatched_delimiter_limit)
    return opening.end()


def read_brace_end(scanner: Scanner, at: int, final: bool) -> int:
    """Close `{{OOC: …}}`; two braces that were opened need two."""
    mark = "{{" if "{{" in scanner.delimiters else "{"
    if mark not in scanner.delimiters:
        return at + 1
    end = at + len(mark)
    if end > len(scanner.text) and not final:
        return NEED_MORE
    if scanner.text[at:end] == "}" * len(mark) and scanner.delimiters.close(mark, at, end):
        return end
    return at + 1


def _read_ooc_bracket(scanner: Scanner, at: int, final: bool) -> int:
    """Read `[OOC] … [/OOC]` and `[OOC: …]`, which stay whole; `NOT_FOUND` for any other bracket."""
    marker = _OOC_BRACKET.match(scanner.text, at)
    if marker is None:
        return NEED_MORE if not final and _PARTIAL_OOC_BRACKET.match(scanner.text, at) else NOT_FOUND
    if marker[1]:
        scanner.delimiters.close(_OOC_BLOCK, at, marker.end())
    else:
        mark = _OOC_BLOCK if marker[2] == "]" else _OOC_NOTE
        scanner.delimiters.push(mark, at, scanner.settings.unmatched_delimiter_limit)
    return marker.end()


def read_bracket(scanner: Scanner, at: int, final: bool) -> int:
    delimiters = scanner.delimiters
    if scanner.text[at + 1 : at + 2] in _OOC_STARTS:
        ooc = _read_ooc_bracket(scanner, at, final)
        if ooc != NOT_FOUND:
            return ooc
    if delimiters.stack and delimiters.count("[") >= NESTED:
        return at + 1
    link = _PLAIN_LINK.match(scanner.text, at)
    if link:
        delimiters.spans.append(Span(SpanKind.LINK, at, link.end()))
        return link.end()
    delimiters.push("[", at, LINE_REACH, one_line=True)
    return at + 1


def read_bracket_end(scanner: Scanner, at: int, final: bool) -> int:
    if "[" not in scanner.delimiters:
        scanner.delimiters.close(_OOC_NOTE, at, at + 1)
        return at + 1
    after = scanner.around(at, at + 1, final)[1]
    if not after:
        return NEED_MORE
    end = NOT_FOUND
    if after == "(":
        end = find_link_end(scanner.text, at + 1, final=final)
        if end == NEED_MORE:
            return scanner.wait(_PAREN_OR_NEWLINE, at + 1 + LINE_REACH)
    if end and scanner.delimiters.close("[", at, end, SpanKind.LINK):
        return end
    scanner.delimiters.drop("[", at)
    return at + 1


def read_emphasis(scanner: Scanner, at: int, final: bool) -> int:  # noqa: PLR0911
    """`*`, `**`, `***`, `_`, `__`, `___` and `~~`."""
    plain = _PLAIN_EMPHASIS.match(scanner.text, at)
    if plain and plain.end(2) - at <= scanner.settings.unmatched_delimiter_limit:
        scanner.delimiters.spans.append(Span(plain[1], at, plain.end()))
        return plain.end()
    mark = scanner.text[at]
    end = _RUN[mark].match(scanner.text, at).end()  # type: ignore[union-attr]
    run = end - at
    if run > 3 or (mark == "~" and run > 2) or (at and scanner.text[at - 1] == mark):
        return end
    before, after = scanner.around(at, end, final)
    if not after:
        return NEED_MORE
    if (mark == "~" and run == 1) or (mark == "_" and _in_name(before, after)):
        return end
    emoticon = _skip_emoticon(scanner, at, end, final)
    if emoticon:
        return emoticon
    closes = not before.isspace() and not (mark == "_" and is_word(after))
    # In a later paragraph `5*3` does not close what a `*` there opened.
    inner = is_word(after) and mark == "*" and scanner.delimiters.leaves_paragraph(mark, at)
    if closes and not inner and _close_emphasis(scanner, mark, run, at, end):
        return end
    # `:*` and `;*` are emoticons.
    kiss = mark == "*" and before in ":;-" and not after.isalnum()
    if not (after.isspace() or after in ")）" or is_word(before) or kiss):
        # An action may continue over paragraphs: `*She runs.`, a blank line, `She hides.*`
        paragraphs = mark == "*" and scanner.cuts_paragraphs and scanner.is_content(at)
        reach = scanner.settings.unmatched_delimiter_limit
        scanner.delimiters.push(mark * run, at, reach, paragraphs=paragraphs)
    return end


def _in_name(before: str, after: str) -> bool:
    """Return whether underscores between these characters are part of a name such as `snake_case`."""
    return before.isascii() and before.isalnum() and after.isascii() and after.isalnum()


def _skip_emoticon(scanner: Scanner, at: int, end: int, final: bool) -> int:
    """Return where to continue if a run of markers is part of an emoticon, else `NOT_FOUND` or `NEED_MORE`."""
    text = scanner.text
    if text[at] == "_":
        return is_between_eyes(text, at, end, final=final)
    before, after = text[at - 1 : at], text[end : end + 1]
    if end - at == 1 and (before == "(" or after in ":^" or not before.isascii() or not after.isascii()):
        emoticon = emoticon_around(text, at, final=final)
        return end if emoticon > 0 else emoticon
    return NOT_FOUND


def _close_emphasis(scanner: Scanner, mark: str, run: int, at: int, end: int) -> bool:
    """Close emphasis. Three markers close one and two, in either order; one or two close a part of three."""
    delimiters = scanner.delimiters
    if delimiters.close(mark * run, at, end):
        return True
    if run == 3:
        one, two = delimiters.find(mark, at), delimiters.find(mark * 2, at)
        inner = 1 if two is None or (one is not None and one > two) else 2
        closed = delimiters.close(mark * inner, at, at + inner)
        return delimiters.close(mark * (3 - inner), at, end) or closed
    index = delimiters.find(mark * 3, at)
    if index is None:
        return False
    opened = delimiters.stack[index].at
    delimiters.close(mark * 3, at, end, name=mark * run)
    delimiters.spans[-1] = Span(mark * run, opened + 3 - run, end)
    delimiters.push(mark * (3 - run), opened, scanner.settings.unmatched_delimiter_limit)
    return True


def read_quote(scanner: Scanner, at: int, final: bool) -> int:
    before, after = scanner.around(at, at + 1, final)
    if not after:
        return NEED_MORE
    if not before.isspace() and scanner.delimiters.close('"', at, at + 1):
        return at + 1
    if not after.isspace() and not is_word(before) and before not in ".,!?;:)":
        scanner.delimiters.push('"', at, scanner.settings.unmatched_delimiter_limit)
    return at + 1


def read_pair(scanner: Scanner, at: int, final: bool) -> int:
    mark = scanner.text[at]
    inverted = _INVERTED.get(mark)
    if inverted and scanner.delimiters.close(inverted, at, at + 1):
        return at + 1
    smiles = _is_smile(scanner, at, final) if mark == "(" else False
    if smiles is None:
        return NEED_MORE
    if not smiles:
        scanner.delimiters.push(mark, at, scanner.settings.unmatched_delimiter_limit)
    return at + 1


def _is_smile(scanner: Scanner, at: int, final: bool) -> bool | None:
    """Return whether a parenthesis is the mouth of `:(`, `:-((` or `(:`, or is alone; None to wait."""
    text = scanner.text
    before, after = scanner.around(at, at + 1, final)
    if after in _EMOTICON_EYES and len(text) == at + 2 and not final:
        return None
    if not after:
        return None
    if after.isspace() or (after in _EMOTICON_EYES and not text[at + 2 : at + 3].strip()):
        return True
    eyes = text[max(0, at - 8) : at].rstrip("(")
    if eyes[-1:] in _EMOTICON_NOSES and eyes[-2:-1] in _EMOTICON_EYES:
        return True
    return before in ":;='" or (before == "(" and eyes[-1:] in _EMOTICON_EYES)


def read_pair_end(scanner: Scanner, at: int, final: bool) -> int:
    mark = scanner.text[at]
    if scanner.delimiters.close(_OPENING_OF[mark], at, at + 1):
        return at + 1
    if mark == "”":
        scanner.delimiters.close("„", at, at + 1)  # as in Polish
    elif mark == "»":
        return _open_inverted(scanner, at, final)
    return at + 1


def _open_inverted(scanner: Scanner, at: int, final: bool) -> int:
    """Read `»`, which opens a quote in German books (`»Komm!«`) where a word begins."""
    before, after = scanner.around(at, at + 1, final)
    if not after:
        return NEED_MORE
    if not before.strip() and not after.isspace():
        scanner.delimiters.push("»", at, scanner.settings.unmatched_delimiter_limit)
    return at + 1


def read_end(scanner: Scanner, at: int, final: bool) -> int:
    """Add a break point after a sentence and its closing marks; at the end of a line there is one anyway."""
    text = scanner.text
    end = _ENDS.match(text, at).end()  # type: ignore[union-attr]
    line = scanner.line
    holds = line is Line.ITEM and _WORD_AFTER.match(
        text, end
    )  # list items mostly contain sentences, not further items
    if text.startswith("\n", at + 1) or line not in _SENTENCE_LINES or (at and text[at - 1] in ENDS) or holds:
        return end
    stops_only = scanner.settings.sentence_ends == "period"
    cut = find_sentence_end(text, at, start=max(0, at - LOOK_BACK), final=final, stops_only=stops_only)
    if line is Line.ITEM and cut not in (NEED_MORE, NOT_FOUND):
        cut = find_item(text, cut, final=final)  # an item stays whole, but another one may begin on its line
    if cut == NEED_MORE:
        return NEED_MORE
    if cut == NOT_FOUND:
        return end
    if text[end:cut] != " ":  # there may be closers
        if not final and _may_be_link(scanner, end, cut):
            return NEED_MORE
        closed = _read_closers(scanner, end, cut, final)
        if closed > cut:
            return closed  # a closing mark with more text, such as a link target
    if text[cut : cut + 1] not in ("", "\n"):
        scanner.add_break(cut, Boundary.PERIOD, line)
        if text[cut] == "–":
            scanner.line = Line.PROSE  # a dialogue, not a list
    return max(cut, end)


def _may_be_link(scanner: Scanner, start: int, end: int) -> bool:
    """Return whether a bracket among the closing marks may still become the end of a link's text."""
    at = scanner.text.find("](", start, end + 1)
    waits = at >= 0 and "[" in scanner.delimiters
    return waits and find_link_end(scanner.text, at + 1, final=False) == NEED_MORE


def _read_closers(scanner: Scanner, at: int, until: int, final: bool) -> int:
    """Apply the closing marks between a sentence and its end; return where the last of them ends.

    Emoticons among them close nothing.
    """
    text = scanner.text
    emoticons = [] if _ONLY_CLOSERS.fullmatch(text, at, until) else find_emoticons(text[at:until])
    inside = {at + place for start, stop in emoticons for place in range(start, stop)}
    while at < until:
        reader = None if at in inside else scanner.readers.get(text[at])
        at = max(at + 1, reader(scanner, at, final)) if reader else at + 1
    return at


def read_apostrophe(scanner: Scanner, at: int, final: bool) -> int:
    """Read a single quote, which only keeps sentences together."""
    before, after = scanner.around(at, at + 1, final)
    if not after:
        return NEED_MORE
    if not is_word(after) and not before.isspace() and scanner.delimiters.close("'", at, at + 1):
        return at + 1
    if after.isalpha() and (before.isspace() or before in '([{"“「'):
        scanner.delimiters.push("'", at, scanner.settings.unmatched_delimiter_limit, one_line=True)
    return at + 1


READERS: dict[str, Reader] = {
    "\\": read_escape,
    "{": read_brace,
    "}": read_brace_end,
    "$": read_dollar,
    "<": read_tag,
    "[": read_bracket,
    "]": read_bracket_end,
    "|": read_pipes,
    '"': read_quote,
    "/": read_slash,
    **dict.fromkeys("*_~", read_emphasis),
    **dict.fromkeys(PAIRS.values(), read_pair_end),
    **dict.fromkeys(PAIRS, read_pair),
}
"""The reader of each character that has a meaning inside a line."""
SENTENCE_READERS: dict[str, Reader] = {**dict.fromkeys(ENDS, read_end), "'": read_apostrophe}
"""The readers of marks that matter only if sentences are cut."""

# Fast path: most emphasis and most links contain only words, and one match reads them completely.
_WORDS = f"[^`\n{re.escape(''.join([*READERS, *SENTENCE_READERS]))}]"
_PLAIN_EMPHASIS = re.compile(
    rf"(?<!\S)(\*{{1,3}}|~~)(?=[A-Za-z0-9])({_WORDS}{{1,200}}+)(?<=[!-~])\1(?=[ \n.,;!?]|(?<=[*~]{{2}}):)"
)
_PLAIN_LINK = re.compile(rf"\[{_WORDS}{{0,200}}+\]\([^()\\\s]{{0,500}}+\)")

"""Rules 4 and 7: remove the special tokens of chat templates, and end the answer where another role's turn begins.

A model that misses the end of its turn, or a server that does not know the token for it, sends the tokens as text,
and often the next turn, too: `Hello!<|im_end|>`, then `<|im_start|>user` and words that the user never wrote.
Tokens are removed everywhere but in code, where they may be the topic. With the speaker guard, the header of
another role ends the answer if it follows a token that ends a turn or starts a line. A role that may be an
ordinary heading or label (`### Input:`, `USER:`) needs the token before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..language.punctuation import ENDS, LONE, class_of
from .cleanup import remove
from .speaker_guard import keeps_formatting

if TYPE_CHECKING:
    from ..parsed_text import ParsedText
    from ..traced_text import Edit

# --- Removing tokens -----------------------------------------------------------------------------

# Special tokens of chat templates: `<|im_end|>` and others in this form, Gemma's `<end_of_turn>`,
# DeepSeek's full-width bars, Llama 2's `[INST]` and `<<SYS>>`, Alpaca's `### Instruction:`, Pygmalion's `<START>`.
# https://huggingface.co/docs/transformers/chat_templating
TEMPLATE_SIGN = (
    r"<(?:\||｜|\w{3,5}_of_|/?[sS]>|[eb]os>|EO[ST]>|START>|</?SYS>)|\[/?INST\]"
    r"|### ?(?:Instruction|Human|Assistant|User):"
)
"""Pattern that every text with a special token matches."""
_OTHER_ROLE = "(?:user|human|system|developer|tool|function|observation|ipython|environment)"
_ROLE = rf"[ \t]*(?:assistant|model|{_OTHER_ROLE})"
_TURN_TOKEN = re.compile(
    # A header with the role whose turn begins, then single tokens.
    rf"<\|im_start\|>{_ROLE}(?=\s|\Z)|<start_of_turn>{_ROLE}(?=\s|\Z)|<\|start\|>{_ROLE}(?=<\|)"
    r"|<\|start_header_id\|>[ \t]*\w{1,16}[ \t]*<\|end_header_id\|>|<\|channel\|>\w{1,16}[^<\n]{0,40}<\|message\|>"
    r"|<\|(?:im_(?:start|end|sep)|(?:begin|end|start)_of_\w{2,24}|end(?:oftext|ofprompt)?|[eb]o[mst](?:_id)?|start"
    r"|(?:start|end)_header_id|file_separator|return|call|channel|message|constrain|pad|assistant|chatbot_token"
    rf"|{_OTHER_ROLE}(?:_token)?|tool\w{{0,24}}|fim_\w{{2,12}}|python_tag|reserved_special_token_\d{{1,4}})\|>"
    r"|<｜[\w▁ ]{1,40}｜>|<(?:start|end)_of_(?:turn|utterance|image)>|<[eb]os>|<(?-i:EO[ST])>"
    r"|(?-i:\[/?INST\]|<</?SYS>>)"
    r"|(?:^|(?<=\n))[ \t]*(?-i:<START>|### ?(?:Instruction|Human|Assistant|User):)[ \t]*(?=\n|\Z)"
    r"|</?s>",
    re.IGNORECASE,
)
_LAST_MARKS = re.compile(rf"[{class_of(LONE)}]{{1,8}}(?=\s|\Z)")
_STRIKETHROUGH = re.compile(r"<s>[^\n<>]{1,500}</s>", re.IGNORECASE)


def drop_turn_tokens(parsed: ParsedText) -> list[Edit]:
    """Return edits that remove tokens such as `<|im_end|>`."""
    text = parsed.text
    html = _find_html(text)
    # Turn tokens are removed everywhere but in code, where they may be the topic.
    found = (
        _with_marks(text, *token.span()) for token in _TURN_TOKEN.finditer(text) if token.start() not in html
    )
    return remove(text, (one for one in found if parsed.code.free(one[0] + 1)))


def _with_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range of a token with the marks after it, if the sentence before it has an end: `Yes.<eos>.`."""
    marks = _LAST_MARKS.match(text, end)
    ended = text[:start].rstrip(" \t")[-1:] in ENDS
    return (start, marks.end()) if marks and ended else (start, end)


def _is_line(text: str, start: int, end: int) -> bool:
    """Return whether a range is all text of its line."""
    newline = text.find("\n", end)
    before, after = (
        text[text.rfind("\n", 0, start) + 1 : start],
        text[end : newline if newline >= 0 else None],
    )
    return not before.strip() and not after.strip()


def _find_html(text: str) -> set[int]:
    """Return where `<s>` and `</s>` are HTML: `<s>10 €</s> 5 €` is struck text."""
    struck_out = (found.span() for found in _STRIKETHROUGH.finditer(text))
    return {
        at for start, end in struck_out if not _is_line(text, start, end) for at in (start, end - len("</s>"))
    }


# --- The next turn -------------------------------------------------------------------------------

_END = (
    r"(?:<\|(?:im_end|eo[mst](?:_id)?|end|endoftext|end_of_\w{2,24})\|>|</s>|<eos>|(?-i:<EO[ST]>)"
    r"|<end_of_(?:turn|utterance)>|<｜end[▁ ]of[▁ ]sentence｜>)"
)
_START = r"(?:<s>|<bos>|<\|(?:begin|start)_of_\w{2,24}\|>|<｜begin[▁ ]of[▁ ]sentence｜>)"
_TURN = re.compile(
    rf"(?P<tokens>(?:(?:{_END}|{_START})\s{{0,8}}){{0,8}})(?:"
    # Only a template writes these.
    rf"(?P<header><\|im_start\|>[ \t]*{_OTHER_ROLE}(?=\s|\Z)|<start_of_turn>[ \t]*{_OTHER_ROLE}(?=\s|\Z)"
    rf"|<\|start\|>{_OTHER_ROLE}(?=<\|)|<\|start_header_id\|>[ \t]*{_OTHER_ROLE}[ \t]*<\|end_header_id\|>"
    rf"|<\|{_OTHER_ROLE}(?:_token)?\|>|<｜{_OTHER_ROLE}｜>|(?-i:\[INST\]|<<SYS>>))"
    # Alpaca's header is also a heading, the others may be any heading or label.
    r"|(?P<alpaca>(?-i:### ?Instruction:)(?=[ \t]*(?:\n|\Z)))"
    r"|(?P<label>(?-i:### ?(?:Instruction|Input|Human|User|System):|(?:USER|User|HUMAN|Human|SYSTEM|System) ?:(?!:))))",
    re.IGNORECASE,
)
_FIND_END = re.compile(_END, re.IGNORECASE)
_ENDED = re.compile(rf"{_END}(?:\s|{_START})*+\Z", re.IGNORECASE)
_ENDED_REACH = 200  # characters at the end of a text in which its last tokens are
_INVISIBLE_START = re.compile(rf"(?:\s|{_TURN_TOKEN.pattern})*+", re.IGNORECASE)
_HEADING = re.compile(r"^[ ]{0,3}#{1,6} ", re.MULTILINE)
_HAS_TOKEN = re.compile(TEMPLATE_SIGN)
_ROLE_NAME = re.compile(rf"{_OTHER_ROLE}|instruction|input", re.IGNORECASE)


class NextTurn:
    """Find where the model continues with the turn of another role, in one text after the other."""

    def __init__(self) -> None:
        # Whether only white space followed the last token that ends a turn.
        self._ended = False
        # Whether the answer has headings of its own.
        self._has_headings = False

    def find(self, parsed: ParsedText, *, line_start: bool, from_start: bool) -> tuple[int, str] | None:
        """Return the start of the tokens and header of another role's turn and the role, or None.

        Args:
            parsed: The text, before tokens are removed.
            line_start: Whether it starts a line.
            from_start: Whether the turn may begin with the text: something was sent before.

        """
        text = parsed.text
        found = None
        if self._ended or _HAS_TOKEN.search(text):
            found = self._find_turn(parsed, line_start=line_start, from_start=from_start)
            self._ended = self._is_ended(text)
        self._has_headings = self._has_headings or ("#" in text and _HEADING.search(text) is not None)
        return found

    def skip_code(self) -> None:
        """Note that a code block follows, which is part of the answer."""
        self._ended = False

    def _find_turn(self, parsed: ParsedText, *, line_start: bool, from_start: bool) -> tuple[int, str] | None:
        text = parsed.text
        first = -1 if from_start else _end_of_invisible(text)
        html = _find_html(text)
        for turn in _TURN.finditer(text):
            at, header = turn.start(), turn.end("tokens")
            is_line = _starts_line(text, at, header, line_start=line_start)
            ended = (self._ended and not text[:at].strip()) or any(
                at + token.start() not in html for token in _FIND_END.finditer(turn["tokens"])
            )
            if turn["alpaca"]:
                is_turn = ended or (is_line and not self._has_headings and not _HEADING.search(text[:at]))
            else:
                is_turn = ended or (is_line and turn["header"] is not None)
            if is_turn and at > first and parsed.code.free(header + 1) and keeps_formatting(parsed, at):
                role = _ROLE_NAME.search(turn[0], header - at)
                return at, role[0].capitalize() if role else "System" if "SYS" in turn[0] else "User"
        return None

    def _is_ended(self, text: str) -> bool:
        """Return whether the text ends with a token that ends a turn, or continues to be white space after one."""
        ended = _ENDED.search(text, max(0, len(text) - _ENDED_REACH))
        return ended.start() not in _find_html(text) if ended else self._ended and not text.strip()


def _end_of_invisible(text: str) -> int:
    """Return the end of the tokens and white space with which a text starts."""
    start = _INVISIBLE_START.match(text)
    return start.end() if start else 0


def _starts_line(text: str, at: int, header: int, *, line_start: bool) -> bool:
    """Return whether only white space and the tokens from `at` are before a header on its line."""
    if "\n" in text[at:header]:
        return True
    line = text.rfind("\n", 0, at) + 1
    return (line_start or line > 0) and not text[line:at].strip()

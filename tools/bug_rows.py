"""Bugs that a programmer could write, one row each, and the invariant that must detect it.

Each row replaces code that occurs exactly once in one function (`planting.py`), so line numbers
and formatting do not matter; `tests/test_planted_bugs.py` fails when that code is gone. The bugs are those of
eleven splitters of public bots, and those that were made here during development.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BUGS", "Bug"]


class Bug(NamedTuple):
    """At `place` (`module:Class.method`), `old` becomes `new`; `invariant` is a name in `invariants.INVARIANTS`."""

    name: str
    place: str
    old: str
    new: str
    invariant: str


BUGS: tuple[Bug, ...] = (
    # --- Nothing may depend on slices -------------------------------------------------------------
    Bug(
        "a carriage return is judged without its newline",
        "_text.sanitize:Sanitizer.feed",
        'if text and (text[-1] == "\\r" or "\\ud800" <= text[-1] <= "\\udbff"):',
        'if text and "\\ud800" <= text[-1] <= "\\udbff":',
        "slicing",
    ),
    Bug(
        "half a surrogate pair is judged without the other half",
        "_text.sanitize:Sanitizer.feed",
        'if text and (text[-1] == "\\r" or "\\ud800" <= text[-1] <= "\\udbff"):',
        'if text and text[-1] == "\\r":',
        "slicing",
    ),
    Bug(
        "a tag cut by a slice leaks into the answer",
        "_text.reasoning_blocks:BlockExtractor._is_partial",
        "return len(self._pending) - at < TAG_HOLD and bool(_PARTIAL.match(self._pending, at))",
        "return len(self._pending) - at < 4 and bool(_PARTIAL.match(self._pending, at))",
        "slicing",
    ),
    Bug(
        "inline code looks behind its reach if the text is there",
        "_text.markdown.inline_code_and_urls:find_code_end",
        "for found in _TICKS_OR_NEWLINE.finditer(text, at + run, until):",
        "for found in _TICKS_OR_NEWLINE.finditer(text, at + run):",
        "slicing",
    ),
    Bug(
        "a number at the end of a slice is judged at once",
        "_text.markdown.line_kinds:_read_number",
        "return None if end == len(text) and not final else (Line.PROSE, at)",
        "return Line.PROSE, at",
        "slicing",
    ),
    Bug(
        "a run of backticks is counted before it has ended",
        "_text.markdown.line_kinds:_read_fence",
        "if at + run == len(text) and run <= LONGEST_RUN and not final:",
        "if at + run == len(text) and run < 3 and not final:",
        "slicing",
    ),
    Bug(
        "what precedes a cut is forgotten with it",
        "_text.markdown.scanner:Scanner.forget",
        "cut = until - LOOK_BACK",
        "cut = until",
        "slicing",
    ),
    Bug(
        "carried punctuation does not wait for what follows it",
        "_text.markdown.scanner:Scanner._read_carried",
        "return end if final else NEED_MORE\n        if text[end]",
        "return end if final else NOT_FOUND\n        if text[end]",
        "slicing",
    ),
    Bug(
        "a tag in inline code does not wait for the code's end",
        "_text.reasoning_blocks:BlockExtractor._code_end",
        "return 0 if final or len(self._pending) >= until else -1",
        "return 0",
        "slicing",
    ),
    Bug(
        "a sentence end is judged as if no more would come",
        "_text.markdown.inline_rules:read_end",
        "start=max(0, at - LOOK_BACK), final=final, stops_only",
        "start=max(0, at - LOOK_BACK), final=True, stops_only",
        "slicing",
    ),
    Bug(
        "an expired delimiter removes its break points",
        "_text.markdown.delimiter_stack:DelimiterStack.expire",
        "delimiter = self.stack.pop(0)",
        "delimiter, self.breaks = self.stack.pop(0), []",
        "slicing",
    ),
    # --- A cut once named stays -------------------------------------------------------------------
    Bug(
        "break points are cuts although a delimiter before them is open",
        "_text.markdown.delimiter_stack:DelimiterStack.pop_break",
        "if not self.breaks or (self.stack and self.breaks[0].at > self.stack[0].at):",
        "if not self.breaks:",
        "prefix stability",
    ),
    # --- Everything leaves as soon as it can ------------------------------------------------------
    Bug(
        "segments wait for the flush",
        "_text.segmenter:Segmenter.feed",
        "if delimiters.breaks or scanner.length > self._limit:",
        "if scanner.length > self._limit:",
        "promptness",
    ),
    Bug(
        "a delimiter is held for ever",
        "_text.markdown.delimiter_stack:DelimiterStack.expire",
        "while self.stack and at - self.stack[0].at > self.stack[0].reach:",
        "while self.stack and at - self.stack[0].at > NEVER:",
        "promptness",
    ),
    Bug(
        "a delimiter outlives its paragraph",
        "_text.markdown.delimiter_stack:DelimiterStack.end_paragraph",
        "if self.stack:\n            self.resolve_loose_pipes(tied=blank)",
        "if not self.stack:\n            self.resolve_loose_pipes(tied=blank)",
        "promptness",
    ),
    Bug(
        "nothing happens when a hold expires",
        "_text.segmenter:Segmenter.feed",
        "self.mark = min(mark, delimiters.expiry) if delimiters.stack else mark",
        "self.mark = mark",
        "promptness",
    ),
    Bug(
        "open inline code sleeps through the end of its line",
        "_text.markdown.scanner:_TICK_OR_NEWLINE",
        '_TICK_OR_NEWLINE = re.compile(r"[`\\n]")',
        '_TICK_OR_NEWLINE = re.compile(r"[`]")',
        "promptness",
    ),
    # --- Nothing is lost, nothing comes twice -----------------------------------------------------
    Bug(
        "a short tail is dropped at the flush",
        "_text.segmenter:Segmenter.flush",
        "if self._start < end:\n            segments.append(self._cut(end, boundary, suffix))",
        "if self._start < end - 3:\n            segments.append(self._cut(end, boundary, suffix))",
        "conservation",
    ),
    Bug(
        "a message that ends like the last one counts as a repetition",
        "_text.layout.planner:Planner._emit",
        'reason = "" if content else "white space"',
        'reason = "" if content else "white space"\n'
        "            last = planned[-1] if planned else None\n"
        "            if isinstance(last, Message) and last.content[-12:] == content[-12:]:\n"
        "                continue",
        "conservation",
    ),
    Bug(
        "blank lines in code are lost at a cut",
        "_text.layout.cut_to_limit:_Cutter._part",
        "body, suffix = self._traced.cut(at, cut), self._suffix(cut)",
        "body, suffix = self._traced.cut(at, cut), self._suffix(cut)\n"
        '        text = body.text.replace("\\n\\n\\n", "\\n\\n") if "`" in suffix else body.text\n'
        "        body = TracedText(text, body.runs)",
        "conservation",
    ),
    Bug(
        "blank lines in code become one, on record",
        "_text.layout.splitter:Splitter.tidy",
        'edits = [(m.start() + 1, m.end(), "\\n") for m in found if code.free(m.start() + 1)]',
        'edits = [(m.start() + 1, m.end(), "\\n") for m in found]',
        "conservation",
    ),
    Bug(
        "held punctuation comes before every line that follows",
        "_text.rules.orphan_punctuation:PendingPunctuation.pop",
        "pieces, self._pieces, self.length = self._pieces, [], 0",
        "pieces = list(self._pieces)",
        "conservation",
    ),
    Bug(
        "held punctuation is forgotten when the next line comes",
        "_text.normalizer:Normalizer._emit",
        'traced = self._pop_pending("prepend") + traced',
        'traced = (self._pop_pending("prepend"), traced)[1]',
        "conservation",
    ),
    Bug(
        "spans end one character early",
        "_text.segmenter:Segmenter._cut",
        "self._source_map.spans(self._start, at),",
        "self._source_map.spans(self._start, max(at - 1, self._start + 1)),",
        "conservation",
    ),
    Bug(
        "an edit leaves no record",
        "_text.traced_text:TracedText.replace",
        "runs += _insert(name,",
        "runs += ((len(after), None, None),) or _insert(name,",
        "calm",
    ),
    Bug(
        "an overflow cut repeats a character",
        "_text.segmenter:Segmenter._overflow",
        "self._begin(at, Line.PROSE, marker)",
        "self._begin(at - 1, Line.PROSE, marker)",
        "conservation",
    ),
    Bug(
        "source positions go on as if nothing had been captured",
        "_text.segmenter:Segmenter.feed",
        "if source is not None and source - length != self._ahead:",
        "if source is not None and source - length < self._ahead:",
        "conservation",
    ),
    Bug(
        "white space beside a captured block disappears",
        "_text.reasoning_blocks:BlockExtractor._join_white",
        'dropped.append(Dropped(after, "white space", self._source_map.spans(0, len(after))))',
        "pass",
        "conservation",
    ),
    Bug(
        "a thought in code is taken for a thought",
        "_text.reasoning_blocks:BlockExtractor._code_end",
        "if code == FENCED:\n            return at + 1",
        "if code == FENCED:\n            return 0",
        "conservation",
    ),
    # --- What Discord takes -----------------------------------------------------------------------
    Bug(
        "one character more than the limit fits",
        "_text.layout.cut_to_limit:cut_to_limit",
        "len(text.rstrip()) - _blank_before(text) <= limit:",
        "len(text.rstrip()) - _blank_before(text) <= limit + 1:",
        "limits",
    ),
    Bug(
        "closers are not counted against the limit",
        "_text.layout.cut_to_limit:_Cutter._fits",
        "return len(body.strip()) > 0 and prefix + size + len(suffix) <= self._limit",
        "return len(body.strip()) > 0 and prefix + size <= self._limit",
        "limits",
    ),
    Bug(
        "reopened fences are not counted against the limit",
        "_text.layout.cut_to_limit:_Cutter.parts",
        "or self._choose(at, prefix)",
        "or self._choose(at, 0)",
        "limits",
    ),
    Bug(
        "white space alone is a message",
        "_text.layout.planner:Planner._emit",
        'reason = "" if content else "white space"',
        'reason = ""',
        "limits",
    ),
    Bug(
        "half a surrogate pair is sent",
        "_text.sanitize:_repair",
        'return odd, "\\ufffd" if "\\ud800" <= odd <= "\\udfff" else ""',
        'return odd, odd if "\\ud800" <= odd <= "\\udfff" else ""',
        "limits",
    ),
    # --- What is code -----------------------------------------------------------------------------
    Bug(
        "a fence with a language closes the document it is in",
        "_text.markdown.code_fence_matching:_judge_named",
        "return _open((*nest[:-1], inner._replace(kind=Kind.DOCUMENT)), block)",
        "return Verdict(nest[:-1])",
        "intent",
    ),
    Bug(
        "a bare fence in a document always closes it",
        "_text.markdown.code_fence_matching:_judge_bare",
        "if _opens_inner_block(line, nest[-1]):",
        "if False:",
        "intent",
    ),
    Bug(
        "a fence that is indented deeper closes its block",
        "_text.markdown.code_fence_matching:judge_fence",
        "if block.indent > inner.indent and _has_partner(line):",
        "if False:",
        "intent",
    ),
    Bug(
        "backticks inside of a code line close its block",
        "_text.markdown.code_fences:_judge",
        "nest[:-1] if ends and closes_at_line_end(",
        "nest[:-1] if closes_at_line_end(",
        "intent",
    ),
    Bug(
        "a fence in a comment closes its block",
        "_text.markdown.code_fence_matching:closes_at_line_end",
        "if inner.kind.is_code and is_comment(before):",
        "if False:",
        "intent",
    ),
    Bug(
        "backticks in code are sent as they are",
        "_text.discord_fences:find_block_edits",
        "_ZERO_WIDTH_SPACE.join(found[0])",
        "found[0]",
        "intent",
    ),
    Bug(
        "a shorter fence closes a longer one",
        "_text.markdown.code_fence_matching:judge_fence",
        "if block.ticks < inner.ticks:",
        "if False:",
        "intent",
    ),
    Bug(
        "lines that were not scanned do not count as lines",
        "_text.markdown.code_fences:read_fence",
        "return fence.pass_lines(text, at, end), NOT_FOUND, end",
        "return fence, NOT_FOUND, end",
        "intent",
    ),
    # --- What belongs together --------------------------------------------------------------------
    Bug(
        "a reopened fence forgets its language",
        "_text.markdown.code_fence_reopening:reopening_line",
        "return f\"```{word[1] if word else ''}\\n\"",
        'return "```\\n"',
        "wholeness",
    ),
    Bug(
        "a spoiler that is cut is not reopened",
        "_text.layout.reopened_spans:_REOPENED",
        '"___", "~~", "||"})',
        '"___", "~~"})',
        "wholeness",
    ),
    Bug(
        "a line of code loses its indentation at a cut",
        "_text.layout.cut_to_limit:_Cutter._is_bare",
        "if line < cut and not self._text[line:cut].strip():\n                    return True",
        "pass",
        "wholeness",
    ),
    Bug(
        "a closer forgets to delete the places inside its span",
        "_text.markdown.delimiter_stack:DelimiterStack.close",
        "del self.breaks[first:]",
        "pass",
        "wholeness",
    ),
    Bug(
        "a delimiter expires in half its time",
        "_text.markdown.delimiter_stack:DelimiterStack.find",
        "if at - self.stack[index].at <= self.stack[index].reach:",
        "if at - self.stack[index].at <= self.stack[index].reach // 2:",
        "wholeness",
    ),
    Bug(
        "a grapheme is cut",
        "_text.language.graphemes:grapheme_start",
        "for at in range(index, max(0, index - LOOK_BACK_CHARS) - 1, -1):",
        "for at in range(index, index - 1, -1):",
        "wholeness",
    ),
    Bug(
        "a URL is cut",
        "_text.markdown.inline_rules:read_slash",
        "scanner.delimiters.spans.append(Span(SpanKind.URL, start, end))",
        "pass",
        "wholeness",
    ),
    Bug(
        "an overflow cut goes through whatever is there",
        "_text.markdown.break_points:find_overflow",
        "    window = text[:high]\n",
        "    window, whole = text[:high], AtomicRange(())\n",
        "wholeness",
    ),
    Bug(
        "strikethrough is not looked for in long texts",
        "_text.markdown.scanner:_SPANNED",
        "_SPANNED = re.compile('[`*_~|",
        "_SPANNED = re.compile('[`*_|",
        "wholeness",
    ),
    Bug(
        "a code block that is cut is not closed",
        "_text.segmenter:Segmenter._cut_code",
        "segment = self._cut(at, Boundary.OVERFLOW, closing_line(text, at))",
        "segment = self._cut(at, Boundary.OVERFLOW)",
        "wholeness",
    ),
    Bug(
        "a code block that the text leaves open is not closed",
        "_text.auto_close:close_open_markers",
        'suffix = f"{newline}{quote}```{suffix}"',
        "pass",
        "wholeness",
    ),
    # --- First written, first sent ----------------------------------------------------------------
    Bug(
        "short messages overtake long ones",
        "_text.layout.planner:Planner._emit",
        "return planned\n",
        'return sorted(planned, key=lambda event: len(getattr(event, "content", "")))\n',
        "order",
    ),
    Bug(
        "the whole-answer queue is released from its end",
        "_text.layout.planner:Planner.flush",
        "traced = join_traced(self._queue)",
        "traced = join_traced(self._queue[::-1])",
        "order",
    ),
    # --- After a halt -----------------------------------------------------------------------------
    Bug(
        "messages go on after a halt",
        "_text.layout.planner:Planner._emit",
        'reason = self._halted.reason if self._halted else ""',
        'reason = self._halted.reason if len(planned) == 1 and self._halted else ""',
        "silence",
    ),
    Bug(
        "a cap lets one message more through",
        "_text.layout.planner:Planner._halt",
        "elif 0 < settings.message_cap <= self._planned + self._posted:",
        "elif 0 < settings.message_cap < self._planned + self._posted:",
        "silence",
    ),
    # --- After a flush ----------------------------------------------------------------------------
    Bug(
        "a second flush repeats the queue",
        "_text.layout.planner:Planner.flush",
        "self._queue, self._queued = [], 0\n        return self._plan",
        "return self._plan",
        "rest",
    ),
    Bug(
        "held punctuation survives the flush",
        "_text.normalizer:Normalizer.flush",
        "self._restart()\n        return [*output, *self._prefill.flush()]",
        "return [*output, *self._prefill.flush()]",
        "rest",
    ),
    Bug(
        "a held carriage return survives the flush",
        "_text.sanitize:Sanitizer.flush",
        'text, self._pending = self._pending, ""',
        "text = self._pending",
        "rest",
    ),
    Bug(
        "a quote goes on behind the flush",
        "_text.markdown.scanner:Scanner.reset",
        "self.block_quote = NEVER  # where a >>> quote began",
        'self.block_quote = getattr(self, "block_quote", NEVER)',
        "rest",
    ),
    Bug(
        "a clause left out before a tool call is not reported",
        "_text.segmenter:Segmenter.flush",
        "return segments + dropped",
        "return segments",
        "rest",
    ),
    # --- Any text ---------------------------------------------------------------------------------
    Bug(
        "a backslash at the very end raises",
        "_text.markdown.inline_rules:read_escape",
        "if at + 1 == len(scanner.text):\n        return at + 1 if final else NEED_MORE\n    after",
        "after",
        "calm",
    ),
    Bug(
        "a span longer than its window is cut for ever",
        "_text.markdown.break_points:_hard_cut",
        "return inside[0] if inside[0] > start else inside[1]",
        "return inside[0]",
        "calm",
    ),
    Bug(
        "what was cut off is never let go of",
        "_text.markdown.scanner:Scanner.forget",
        "if cut < MIN_FORGET_CHARS:",
        "if cut < MIN_FORGET_CHARS << 20:",
        "calm",
    ),
    Bug(
        "all spans are kept for ever",
        "_text.markdown.delimiter_stack:DelimiterStack.shift",
        "for s in self.spans if s.end > until]",
        "for s in self.spans]",
        "calm",
    ),
    # --- What is hidden stays hidden --------------------------------------------------------------
    Bug(
        "a spoiler that the text ends in is cut like prose",
        "_text.auto_close:close_open_markers",
        'delimiters.spans.append(Span("||", delimiter.at, len(text)))',
        "pass",
        "hidden",
    ),
    Bug(
        "bars with a space before them close nothing",
        "_text.markdown.spoiler_markup:read_pipes",
        "    if index is not None:\n        delimiter",
        "    if index is not None and not before.isspace():\n        delimiter",
        "hidden",
    ),
    Bug(
        "a spoiler that has no end in sight is none",
        "_text.markdown.delimiter_stack:DelimiterStack.expire",
        'if self.stack[0].mark == "||" and not self.stack[0].loose:',
        "if False:",
        "hidden",
    ),
    Bug(
        "a spoiler over list items is closed at its end only",
        "_text.spoilers.keep_hidden:keep_hidden",
        "for at in _line_ends(text, span, words):",
        "for at in ():",
        "hidden",
    ),
    Bug(
        "bars in code end the spoiler around it",
        "_text.spoilers.keep_hidden:keep_hidden",
        '"\\u200b" for bar in',
        '"" for bar in',
        "hidden",
    ),
    Bug(
        "a formula is one, whatever bars are in it",
        "_text.math.detect:_is_formula",
        "or _may_hide(inside):",
        "or False:",
        "hidden",
    ),
    Bug(
        "the marker of a line is forgotten when a spoiler is measured",
        "_text.layout.reopened_spans:TextStructure._classify_spans",
        "                cost += self._line_cost(span)\n",
        "                pass\n",
        "hidden",
    ),
    Bug(
        "bars stay on a line where they hide nothing",
        "_text.spoilers.keep_hidden:keep_hidden",
        'alone += [(at, at + 2, "") for at',
        'alone += [(at, at, "") for at',
        "hidden",
    ),
    Bug(
        "a spoiler over list items is a message for each of them",
        "_text.layout.splitter:Splitter._lines",
        "[cut for cut in cuts if whole.free(cut)]",
        "cuts",
        "hidden",
    ),
    Bug(
        "a long text is cut between two lines of one spoiler",
        "_text.layout.reopened_spans:TextStructure._scan_all",
        "        atoms += self._joined(spans)\n",
        "",
        "hidden",
    ),
    # --- What people see grow is never taken back ---------------------------------------------------
    Bug(
        "a line is shown up to the middle of what must stay whole",
        "_text.markdown.live_cuts:find_early_cut",
        "if whole.free(at) and _is_safe_gap(text, line, at, until):",
        "if _is_safe_gap(text, line, at, until):",
        "growth",
    ),
    Bug(
        "code is shown up to a fence that may be of another block",
        "_text.markdown.live_cuts:find_early_code_cut",
        "if _ODD_CODE.search(text, head, at) or _FENCE.search(after):",
        "if _ODD_CODE.search(text, head, at):",
        "growth",
    ),
    Bug(
        "what a cut closed stays closed when the text goes on",
        "_text.layout.live_planner:_seam",
        "return (closer, 0) if closer is not None and _is_reopened(second) else None",
        "return None if closer is None or _is_reopened(second) else (closer, 0)",
        "growth",
    ),
    Bug(
        "a message that is full grows on",
        "_text.layout.live_planner:LivePlanner.feed",
        "self.finalize(self._full_pieces(), Boundary.OVERFLOW)\n                if self._pieces and",
        "self.finalize(self._full_pieces(), Boundary.OVERFLOW)\n                if not self._pieces and",
        "growth",
    ),
    Bug(
        "what is not certain yet is shown",
        "_text.layout.live_planner:LivePlanner.draft",
        "traced = self._tidy(join_pieces(self._pieces[: self._visible]))",
        "traced = self._tidy(join_pieces(self._pieces))",
        "growth",
    ),
    Bug(
        "what follows a message that is full is forgotten",
        "_text.layout.live_planner:LivePlanner.finalize",
        "        self._restart(rest)\n",
        "        self._restart(rest[1:])\n",
        "growth",
    ),
    Bug(
        "the first line is shown although a late end of a thought may claim it",
        "_text.segmenter:Segmenter._cut_early",
        "elif not self._may_be_reasoning(until) and not (",
        "elif not (",
        "growth",
    ),
)

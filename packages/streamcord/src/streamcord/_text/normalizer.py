"""Apply the text rules to segments, in this order.

    1 orphan punctuation   2 render modifiers   3 emoji repeats   4 cleaning   5 mentions
    6 prefill   7 speaker guard   8 tables   9 adapt

A rule reads a text and returns edits; the traced text records them. Punctuation and prefill that go in front of
a text (1, 6) are added after the other rules, so that these still see where a line starts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from .._common.known_secrets import SecretFilter
from .._events import Boundary, Degree, Drawing, Dropped, Halt, Replaced, Segment
from .._settings import NO_CONTEXT
from .markdown.line_kinds import RULE_LINE
from .parsed_text import ParsedText
from .rules.chat_templates import TEMPLATE_SIGN, NextTurn, drop_turn_tokens
from .rules.cleanup import (
    BLANK,
    DOT,
    blanks_to_spaces,
    drop_dots,
    drop_system_messages,
    fill_macros,
    hide_known,
    hide_secrets,
    join_blank_lines,
)
from .rules.custom_rules import CustomRules
from .rules.details import DETAILS, DetailsRule
from .rules.emoji import EmojiIndex, drop_all_emoji, drop_repeats, names_used, resolve_shortcodes
from .rules.figure_extraction import MAX_DRAWINGS, find_diagram, may_hold_figure, split_figures
from .rules.link_safety import LINKLIKE, MultilineLinks, may_deceive, restrict_links, show_targets
from .rules.markdown_compat import CONVERT_MARKDOWN, CONVERTIBLE, convert_markdown, escape_operators
from .rules.mentions import MentionIndex, join_edits, name_rules, resolve_mentions
from .rules.orphan_punctuation import OrphanKind, PendingPunctuation, classify_leftover, classify_orphan
from .rules.persona_labels import (
    Part,
    PersonaLabels,
    label_pattern,
    split_by_speaker,
    strip_own_name,
)
from .rules.prefill import PrefillStripper
from .rules.speaker_guard import Guard, find_foreign_line
from .rules.sprites import PersonaAppearance, SpriteTable
from .spoilers.keep_hidden import SPOILER, LineSpoilerState, drop_empty_ends
from .standalone_markdown import as_standalone_markdown
from .traced_text import NormalizedSegment, TracedText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._events import Figure
    from .._settings import AnswerContext, Settings
    from .rules.custom_rules import Rule
    from .traced_text import Edit

GUARD: Final = "speaker_guard"
NAMES: Final = "names"
"""Name for the rules `emoji` and `mention` together, which read the same text."""

TextRule: TypeAlias = "Callable[[ParsedText], list[Edit]]"
Output: TypeAlias = NormalizedSegment | Dropped | Replaced | Halt


TriggeredRules: TypeAlias = "list[tuple[str, Callable[[str], object], TextRule]]"
"""Rules in order: name, trigger, rule. A rule runs only on text that its trigger finds."""


def compile_triggers(rules: Iterable[tuple[str, str, TextRule]]) -> TriggeredRules:
    return [(name, make_trigger(trigger), rule) for name, trigger, rule in rules]


def make_trigger(trigger: str) -> Callable[[str], object]:
    """Return a search function; one or two plain strings are found faster without a pattern."""
    sign, _, other = trigger.partition("|")
    if not sign or re.escape(sign + other) != sign + other:
        return re.compile(trigger).search
    return lambda text: sign in text or (other and other in text)


class TextRules:
    """Rules 3 to 5 and 9, which change words and keep the segment.

    It has more than 15 attributes because each group of rules is made once, from the settings and names that it needs.
    """

    def __init__(self, settings: Settings, context: AnswerContext = NO_CONTEXT) -> None:
        self._settings = settings
        self._labels = label_pattern(context.persona) if context.persona else None
        recent = context.recent_messages
        self._used = names_used(recent, settings.emoji_unique_lookback) if recent else None
        # Without a list of the server only standard emoji are known, and no other shortcode is removed.
        self._emoji = EmojiIndex(context.emoji) if settings.emoji_usage else None
        self._keeps_unknown = settings.emoji_preserve_unresolved_shortcodes or not context.emoji
        self._names = _names_of_macros(context)
        self._people = MentionIndex(context.people) if context.people else None
        self._line_start = True
        self._parsed: ParsedText | None = None
        self._details = (
            None if settings.details == "memory" else DetailsRule(hidden=settings.details == "spoiler")
        )
        self._links = MultilineLinks()
        self._spoilers = LineSpoilerState(joined=settings.degree is Degree.NONE)
        # In order: name, trigger (empty: any text), whether the rule is wanted, rule.
        self._rules = compile_triggers(
            (name, trigger, rule)
            for name, trigger, wanted, rule in (
                ("emoji repeat", ":", bool(self._used), self._drop_repeats),
                ("unicode space", BLANK, settings.uncensor_unicode_space, blanks_to_spaces),
                ("middle dot", DOT, settings.strip_middle_dots, drop_dots),
                ("system note", r"\[[sS][yY]", True, drop_system_messages),
                ("end of turn", TEMPLATE_SIGN, True, drop_turn_tokens),
                ("blank lines", r"\n[ \t]*\n[ \t]*\n", True, join_blank_lines),
                ("no emoji", "", not settings.emoji_usage, drop_all_emoji),
                (NAMES, ":|@", self._emoji is not None or bool(self._people), self._resolve_names),
                ("own name", ":|：", self._labels is not None, self._strip_own_name),
                ("macro", "{{", self._labels is not None, self._fill_macros),
                ("link", LINKLIKE, settings.links != "all", self._restrict_links),
            )
            if wanted
        )
        self._adapt_rules = (
            compile_triggers([(CONVERT_MARKDOWN, CONVERTIBLE, self._convert_markdown)])
            if settings.convert_markdown
            else None
        )
        self._link_rules = compile_triggers([("link target", r"\]\(", show_targets)])
        self._spoiler_rules = compile_triggers(
            [
                ("operator", r"\|\|", escape_operators),
                ("empty spoiler line", r"\|\|[ \t]*(?:\n|$)", drop_empty_ends),
                (SPOILER, r"\|\|", self._spoilers.edit),
            ]
        )
        links = [("link", LINKLIKE, self._restrict_links)] if settings.links != "all" else []
        pipes = [("operator", r"\|\|", escape_operators), (SPOILER, r"\|\|", self._spoilers.edit)]
        targets = [("link target", r"\]\(", show_targets)]
        self._hiding_rules = compile_triggers([*links, *targets, *pipes])

    def clean(self, traced: TracedText, *, line_start: bool = True) -> TracedText:
        """Apply rules 3 to 5."""
        return self._run(self._rules, hide_secrets(traced), line_start=line_start)

    def finish(self, traced: TracedText, *, line_start: bool = True) -> TracedText:
        """Apply rule 9, and repair links and spoilers that Discord would read differently."""
        if self._details and (self._details.depth or "<" in traced.text):
            edits = self._details.edit(self.read(traced))
            traced = traced.replace(DETAILS, edits) if edits else traced
        if self._adapt_rules:
            traced = self._run(self._adapt_rules, traced, line_start=line_start)
        if may_deceive(traced.text):
            traced = self._run(self._link_rules, traced, line_start=line_start)
        if "||" in traced.text:
            traced = self._run(self._spoiler_rules, traced, line_start=line_start)
        return self._spoilers.remember(self.part_links(traced))

    def part_links(self, traced: TracedText, *, is_code: bool = False) -> TracedText:
        """Separate deceptive links that began on an earlier line."""
        if not self._links.opened and (is_code or "[" not in traced.text):
            return traced
        edits = self._links.part(traced.text, is_code=is_code)
        return traced.replace("link target", edits) if edits else traced

    def reset(self) -> None:
        """Forget the current line at the end of a phase: the next text is another message."""
        self._links = MultilineLinks()
        self._spoilers.reset()
        if self._details:
            self._details.reset()

    def hide(self, traced: TracedText) -> TracedText:
        """Apply only the rules that keep spoilers hidden and secrets out, for answers without rules."""
        traced = self._run(self._hiding_rules, hide_secrets(traced), line_start=True)
        return self._spoilers.remember(self.part_links(traced))

    def _run(self, rules: TriggeredRules, traced: TracedText, *, line_start: bool) -> TracedText:
        text = traced.text
        self._line_start = line_start
        for name, is_triggered, rule in rules:
            if not is_triggered(text):
                continue
            edits = rule(self.read(traced))
            if edits:
                traced = traced.replace(name if name is not NAMES else name_rules(edits), edits)
                text = traced.text
        return traced

    def read(self, traced: TracedText) -> ParsedText:
        """Return the parsed text; it is cached until the text changes."""
        parsed = self._parsed
        if parsed is None or parsed.text != traced.text:
            self._parsed = parsed = ParsedText(traced.text, self._settings, traced.atomic_spans)
        return parsed

    def _drop_repeats(self, parsed: ParsedText) -> list[Edit]:
        return drop_repeats(parsed, self._used) if self._used else []

    def _resolve_names(self, parsed: ParsedText) -> list[Edit]:
        """Resolve emoji and mentions, both in the text as it was written."""
        edits: list[Edit] = []
        if self._emoji is not None and ":" in parsed.text:
            edits = resolve_shortcodes(parsed, self._emoji, preserve=self._keeps_unknown)
        if self._people is not None and "@" in parsed.text:
            edits = join_edits(edits, resolve_mentions(parsed, self._people))
        return edits

    def _strip_own_name(self, parsed: ParsedText) -> list[Edit]:
        return strip_own_name(parsed, self._labels, line_start=self._line_start) if self._labels else []

    def _fill_macros(self, parsed: ParsedText) -> list[Edit]:
        return fill_macros(parsed, *self._names)

    def _restrict_links(self, parsed: ParsedText) -> list[Edit]:
        return restrict_links(parsed, self._settings.link_hosts if self._settings.links == "known" else ())

    def _convert_markdown(self, parsed: ParsedText) -> list[Edit]:
        return convert_markdown(parsed, line_start=self._line_start)


class Normalizer:
    """Turn segments into normalized segments, and report text that is dropped or replaced.

    It has many attributes because each rule that looks beyond one segment keeps its state here.
    """

    def __init__(
        self, settings: Settings, rules: Sequence[Rule] = (), context: AnswerContext = NO_CONTEXT
    ) -> None:
        self.custom_rules = CustomRules(rules) if rules else None
        self._settings = settings
        self._text_rules = TextRules(settings, context)
        self._known = SecretFilter(settings.secrets) or None
        self._labels = (
            PersonaLabels(context.persona, SpriteTable(context.persona, settings, context))
            if context.persona and settings.rules
            else None
        )
        self._guard = Guard(settings, context) if settings.speaker_guard != "off" and settings.rules else None
        self._next_turn = NextTurn() if self._guard else None
        self._appearance = self._labels.sprites.base if self._labels else PersonaAppearance()
        prefill = self._text_rules.clean(TracedText.added(context.prefill, "prefill")).text
        self._prefill = PrefillStripper(prefill if settings.rules else "")
        self._holds_orphans = settings.rules and settings.degree is not Degree.NONE
        self._drops_rules = settings.rules and settings.headings == "together"
        self._tables = settings.rules and settings.tables != "off"
        self._draws_diagrams = settings.rules and settings.diagrams == "picture"
        # Diagrams and formulas of this answer so far.
        self._drawings = 0
        # Called when punctuation is held, put before other text, or released alone, with the punctuation.
        self.on_step: Callable[[str, str], object] | None = None
        self._has_sent = False  # whether anything was returned in this turn
        self._halted = False  # the speaker guard ended the turn: all later text is dropped
        self._restart()

    def _restart(self) -> None:
        self._text_rules.reset()
        # Punctuation alone, which goes before the next segment.
        self._pending = PendingPunctuation(self._settings.held_punctuation)
        self._pending_appearance = self._appearance  # the appearance that wrote it
        self._pending_rule: tuple[TracedText, Segment] | None = (
            None  # a `---` line, which is kept only if text follows it
        )
        self._fragment: TracedText | None = None  # a lone mark, which is kept only if nothing else is sent
        self._line_start = True  # whether the next segment starts a line
        self._has_output = False  # whether anything was returned in this phase

    def feed(self, segment: Segment, repairs: list[Replaced]) -> list[Output]:
        """Return the normalized segments of a segment, with the repairs that were made in it."""
        traced = as_standalone_markdown(segment, repairs, tables=self._tables)
        starts_line, self._line_start = self._line_start, segment.text.endswith("\n")
        if not segment.text.strip():
            return [Dropped(traced.written, "white space", traced.spans), *traced.edits]
        if self._halted:
            return [Dropped(traced.written, GUARD, traced.spans), *traced.edits]
        # A copied appearance lasts only for its line.
        if self._labels and starts_line and self._appearance.copied:
            self._appearance = self._labels.sprites.base
        output: list[Output] = []
        waiting, self._pending_rule = self._pending_rule, None
        if self._drops_rules and starts_line and RULE_LINE.match(segment.text):
            output, traced, segment = self._drop_rule(traced, segment)
        if waiting and self._pending_rule:
            output += _drop_rule_line(waiting[0])
        elif waiting:
            output += self._normalize(*waiting, starts_line=True)
        return output + self._normalize(traced, segment, starts_line=starts_line) if segment.text else output

    def _normalize(self, traced: TracedText, segment: Segment, *, starts_line: bool) -> list[Output]:
        """Normalize a segment that is not white space; punctuation alone is held back."""
        orphan = classify_orphan(segment.text) if self._holds_orphans else None
        if orphan is not None:
            return self._hold_orphan(traced, segment.boundary, orphan)
        # Inside a code block no rule changes the text, but secrets are removed.
        if segment.ticks:
            if self._next_turn:
                self._next_turn.skip_code()
            # A link that begins before a code block may end in it.
            return self._emit_code(self._text_rules.part_links(hide_secrets(traced), is_code=True), segment)
        if not self._settings.rules:
            return self._emit(self._text_rules.hide(traced), segment.boundary)
        # The guard needs the tokens of chat templates, which rule 4 removes.
        turn = self._next_turn and self._next_turn.find(
            self._text_rules.read(traced),
            line_start=starts_line,
            from_start=self._has_sent or bool(self._pending),
        )
        if not turn:
            return self._apply(traced, segment.boundary, starts_line=starts_line)
        at, role = turn
        output = self._apply(traced.cut(0, at), segment.boundary, starts_line=starts_line) if at else []
        return self._halt(output, traced.cut(at, len(traced.text)), role, segment.boundary)

    def flush(self, boundary: Boundary = Boundary.FINAL) -> list[Output]:
        """Return the text that was held back for a segment that never came."""
        # A lone mark is sent if it is all that the model wrote.
        if not self._pending and self._fragment and not self._has_output:
            self._pending.add(self._fragment)
            self._fragment = None
        output = self._emit_pending(boundary)
        if self._pending_rule:
            output += _drop_rule_line(self._pending_rule[0])
        self._restart()
        return [*output, *self._prefill.flush()]

    def _drop_rule(self, traced: TracedText, segment: Segment) -> tuple[list[Output], TracedText, Segment]:
        """Drop `---` lines at the start of an answer; hold one back that is alone until text follows it."""
        lost: list[Output] = []
        while rule := RULE_LINE.match(segment.text):
            newline = segment.text.find("\n") + 1 or len(segment.text)
            rest = segment.text[newline:]
            next_line = rest.lstrip().partition("\n")[0].rstrip()
            last = rest.strip() and self._has_output and RULE_LINE.fullmatch(next_line) is None
            if segment.text[rule.end() : newline].strip() or last:
                break
            if not rest.strip() and self._has_output:
                self._pending_rule = traced, segment
                return lost, traced, segment._replace(text="")
            lost += _drop_rule_line(traced.cut(0, newline))
            traced, segment = traced.cut(newline, len(traced.text)), segment._replace(text=rest)
        return lost, traced, segment

    # --- Rules ----------------------------------------------------------------------------------

    def _apply(self, traced: TracedText, boundary: Boundary, *, starts_line: bool) -> list[Output]:
        """Apply rule 2, which splits by speaker, rules 3 to 5 and the speaker guard (7)."""
        parts = self._split_by_speaker(traced, starts_line=starts_line) if self._labels else ()
        if not parts:
            piece = self._text_rules.clean(traced, line_start=starts_line)
            check = self._guarded if self._guard or self.custom_rules else self._finish
            return check(piece, boundary, line_start=starts_line)
        output: list[Output] = []
        for part in parts:
            piece = traced.cut(part.start, part.end)
            if part.edits:
                edits = [(start - part.start, end - part.start, new) for start, end, new in part.edits]
                piece = piece.replace("render modifier", edits)
            self._appearance = part.appearance
            line_start = starts_line or part.start > 0
            piece = self._text_rules.clean(piece, line_start=line_start)
            why = boundary if part.end == len(traced.text) else Boundary.NEWLINE
            output += self._guarded(piece, why, line_start=line_start)
            if self._halted:
                rest = traced.cut(part.end, len(traced.text))
                return output + (
                    [*rest.edits, Dropped(rest.written, GUARD, rest.spans)] if rest.spans else []
                )
        return output

    def _split_by_speaker(self, traced: TracedText, *, starts_line: bool) -> Sequence[Part]:
        text = traced.text
        if self._labels is None or not (":" in text or "：" in text or self._appearance.copied):
            return []
        return split_by_speaker(
            self._text_rules.read(traced), self._labels, self._appearance, line_start=starts_line
        )

    def _guarded(self, traced: TracedText, boundary: Boundary, *, line_start: bool) -> list[Output]:
        if self.custom_rules:
            traced = self.custom_rules.apply(
                traced,
                lambda text: self._text_rules.read(TracedText(text, ())).free,
                first=not self._has_sent,
                line_start=line_start,
            )
        found = None
        # A line of another speaker always has a colon.
        if self._guard and (":" in traced.text or "：" in traced.text):
            parsed = self._text_rules.read(traced)
            found = find_foreign_line(parsed, self._guard, from_start=line_start and self._has_sent)
        if found is None:
            return self._finish(traced, boundary, line_start=line_start)
        at, speaker = found
        output = self._finish(traced.cut(0, at), boundary, line_start=line_start) if at else []
        return self._halt(output, traced.cut(at, len(traced.text)), speaker, boundary)

    def _halt(self, output: list[Output], rest: TracedText, speaker: str, boundary: Boundary) -> list[Output]:
        """Return the output with the end of the answer; the rest belongs to another speaker."""
        # A label in the text before may have ended it.
        if not self._halted:
            self._halted = True
            output = [*output, *self._emit_all_pending(boundary), Halt(GUARD, speaker)]
        return [*output, *rest.edits, *([Dropped(rest.written, GUARD, rest.spans)] if rest.spans else [])]

    def _finish(self, traced: TracedText, boundary: Boundary, *, line_start: bool) -> list[Output]:
        """Apply rule 8, which takes out what is drawn, and rule 9."""
        if not may_hold_figure(traced.text, self._settings):
            finished = self._text_rules.finish(traced, line_start=line_start)
            return self._emit_cleaned(finished, boundary, line_start=line_start)
        output: list[Output] = []
        # Now, because a table keeps its own source, which is drawn and can be asked for.
        for part in split_figures(
            self._without_secrets(traced), self._settings, MAX_DRAWINGS - self._drawings
        ):
            self._drawings += isinstance(part.figure, Drawing)
            if part.figure is None:
                finished = self._text_rules.finish(part.traced, line_start=line_start)
                # A mark that is left below a table was carried to it, as to a line.
                output += self._emit_cleaned(
                    finished, boundary, line_start=line_start, after_table=bool(output)
                )
            else:
                output += self._emit(part.traced, boundary, part.figure)
            line_start = True
        return output

    def _emit_all_pending(self, boundary: Boundary) -> list[Output]:
        """Return everything that was held back."""
        return [*self._emit_pending(boundary), *self._prefill.flush()]

    # --- Punctuation alone ----------------------------------------------------------------------

    def _emit_cleaned(
        self, traced: TracedText, boundary: Boundary, *, line_start: bool, after_table: bool = False
    ) -> list[Output]:
        """Return a cleaned segment, unless the rules left only punctuation of it."""
        leftover = classify_leftover(traced.text, changed=after_table or bool(traced.edits))
        # A mark that ends a longer line belongs to it. With degrees above 0 it would be a message of its own.
        if leftover is None or not (line_start or self._holds_orphans):
            return self._emit(traced, boundary)
        if leftover is OrphanKind.LEFTOVER:
            return [Dropped(traced.written, "fragment", traced.spans), *traced.edits]
        if not self._holds_orphans:
            return self._emit(traced, boundary)
        return self._hold_orphan(traced, boundary, leftover)

    def _emit_pending(self, boundary: Boundary) -> list[Output]:
        """Return held punctuation as a segment of its own."""
        lost = self._drop_fragment()
        self._has_output = self._has_output or bool(self._pending)
        return lost + (self._emit_segment(self._pop_pending("release"), boundary) if self._pending else [])

    def _pop_pending(self, step: str) -> TracedText:
        """Remove and return held punctuation."""
        held = self._pending.pop()
        if self.on_step:
            self.on_step(step, held.text.strip())
        return held

    def _hold_orphan(self, traced: TracedText, boundary: Boundary, orphan: OrphanKind) -> list[Output]:
        if orphan is OrphanKind.FRAGMENT:
            return self._hold_fragment(traced)
        self._pending.add(traced)
        self._pending_appearance = self._appearance
        if self.on_step:
            self.on_step("hold", traced.text.strip())
        # A long run of punctuation is a message of its own, not the start of the next segment.
        return (
            self._emit_pending(boundary)
            if self._pending.length > self._settings.unmatched_delimiter_limit
            else []
        )

    def _hold_fragment(self, traced: TracedText) -> list[Output]:
        lost = self._drop_fragment()
        self._fragment = traced
        return lost + (self._drop_fragment() if self._has_output else [])

    def _drop_fragment(self) -> list[Output]:
        traced, self._fragment = self._fragment, None
        return [Dropped(traced.written, "fragment", traced.spans), *traced.edits] if traced else []

    def _emit_code(self, traced: TracedText, segment: Segment) -> list[Output]:
        """Return a code block; a whole Mermaid block is a diagram."""
        is_whole = not segment.prefix and segment.boundary is not Boundary.OVERFLOW
        if self._draws_diagrams and is_whole and self._drawings < MAX_DRAWINGS:
            traced = self._without_secrets(traced)
            if diagram := find_diagram(traced.text):
                self._drawings += 1
                return self._emit(traced, segment.boundary, diagram)
        return self._emit(traced, segment.boundary)

    def _emit(self, traced: TracedText, boundary: Boundary, figure: Figure | None = None) -> list[Output]:
        if not traced.text.strip():
            # At degree 0 the blank line after a fence that was removed still separates two paragraphs.
            if self._has_output and self._settings.degree is Degree.NONE and "\n" in traced.text:
                return self._emit_segment(traced, boundary)
            return [*traced.edits, *_drop_white_space(traced)]
        output = self._drop_fragment() if self._fragment else []
        self._has_output = True
        if self._pending:
            if figure:
                output += self._emit_segment(self._pop_pending("prepend"), boundary)
            # Punctuation of another persona must not be shown under this one.
            elif self._pending_appearance != self._appearance:
                output += self._emit_segment(
                    self._pop_pending("prepend"), boundary, appearance=self._pending_appearance
                )
            else:
                self._pending.end_before(traced)
                traced = self._pop_pending("prepend") + traced
        return output + self._emit_segment(traced, boundary, figure)

    def _emit_segment(
        self,
        traced: TracedText,
        boundary: Boundary,
        figure: Figure | None = None,
        appearance: PersonaAppearance | None = None,
    ) -> list[Output]:
        """Return the final segment. Rule 6 comes last, so that no rule reads the prefill twice."""
        self._has_sent = True
        traced = self._without_secrets(traced)
        segment = NormalizedSegment(traced, boundary, (appearance or self._appearance).speaker, figure)
        return [*self._prefill.feed(segment)] if self._prefill else [segment]

    def _without_secrets(self, traced: TracedText) -> TracedText:
        """Hide secrets after the rules: text that a rule removed may have separated the halves of one."""
        if traced.edits:
            traced = hide_secrets(traced)
        return traced if self._known is None else hide_known(traced, self._known)


def _names_of_macros(context: AnswerContext) -> tuple[str, str]:
    """Return the names for `{{char}}` and `{{user}}`; the latter is empty if several people may be meant."""
    persona = context.persona.name if context.persona else ""
    if context.asker:
        return persona, context.asker
    user = context.people[0] if len(context.people) == 1 else None
    return persona, next((name for name in (*user.names, user.handle) if name.strip()), "") if user else ""


def _drop_rule_line(rule: TracedText) -> list[Output]:
    """Report a `---` line that separates nothing as dropped."""
    return [Dropped(rule.written, "rule", rule.spans), *rule.edits]


def _drop_white_space(traced: TracedText) -> list[Dropped]:
    """Report white space that the rules left of a segment as dropped."""
    return [Dropped(traced.written, "white space", traced.spans)] if traced.spans else []

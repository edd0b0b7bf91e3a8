"""Stage 6: turns segments into utterances by rules, in the order in which they stand here.

    1 orphan punctuation   2 render modifiers   3 emoji repeats   4 cleaning   5 mentions
    6 prefill   7 speaker guard   8 tables   9 adapt

Each rule looks at a text and says which edits it wants; the passage remembers them. What was held or is shown
in front (1, 6) is put there only after the rules have run, so that they still see where a line starts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from .._common.redaction import SecretFilter
from .._events import Boundary, Degree, Dropped, Halt, Replaced, Segment
from .._settings import NO_CONTEXT
from .markdown.line_kinds import RULE_LINE
from .parsed_text import ParsedText
from .rules.cleanup import (
    BLANK,
    DOT,
    blanks_to_spaces,
    drop_dots,
    drop_system_messages,
    drop_turn_tokens,
    hide_known,
    hide_secrets,
    join_blank_lines,
)
from .rules.custom_rules import CustomRules
from .rules.emoji import EmojiIndex, drop_all_emoji, drop_repeats, names_used, resolve_shortcodes
from .rules.link_safety import LINKLIKE, MultilineLinks, may_deceive, restrict_links, show_targets
from .rules.markdown_compat import CONVERT_MARKDOWN, CONVERTIBLE, convert_markdown, escape_operators
from .rules.mentions import MentionIndex, join_edits, name_rules, resolve_mentions
from .rules.orphan_punctuation import OrphanKind, PendingPunctuation, classify_orphan
from .rules.persona_labels import (
    Part,
    PersonaAppearance,
    SpriteTable,
    label_pattern,
    split_by_speaker,
    strip_own_name,
)
from .rules.prefill import PrefillStripper
from .rules.speaker_guard import Guard, find_foreign_line
from .rules.table_extraction import split_tables
from .sanitize import dress
from .spoilers.rule import SPOILER, LineSpoilerState, drop_empty_ends
from .traced_text import NormalizedSegment, TracedText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._events import Table
    from .._settings import AnswerContext, Settings
    from .rules.custom_rules import Rule
    from .traced_text import Edit

__all__ = ["Normalizer", "TextRules"]

GUARD: Final = "speaker_guard"
NAMES: Final = "names"
"""Stands for the rules `emoji` and `mention`, which read the same text."""

TextRule: TypeAlias = "Callable[[ParsedText], list[Edit]]"
Said: TypeAlias = NormalizedSegment | Dropped | Replaced | Halt


_Sleepers: TypeAlias = "list[tuple[str, Callable[[str], object], TextRule]]"
"""Rules in order, each asleep until a text has what wakes it; most texts wake none."""


def _asleep(rules: Iterable[tuple[str, str, TextRule]]) -> _Sleepers:
    return [(name, _hearing(wakes), rule) for name, wakes, rule in rules]


def _hearing(wakes: str) -> Callable[[str], object]:
    """Who hears what wakes a rule: one or two signs are found more quickly without a pattern."""
    sign, _, other = wakes.partition("|")
    if not sign or re.escape(sign + other) != sign + other:
        return re.compile(wakes).search
    return lambda text: sign in text or (other and other in text)


class TextRules:
    """Rules 3 to 5 and 9, which only change words."""

    def __init__(self, settings: Settings, context: AnswerContext = NO_CONTEXT) -> None:
        self._settings = settings
        self._labels = label_pattern(context.persona) if context.persona else None
        recent = context.recent_messages
        self._used = names_used(recent, settings.emoji_unique_lookback) if recent else None
        self._book = EmojiIndex(context.emoji) if context.emoji and settings.emoji_usage else None
        self._people = MentionIndex(context.people) if context.people else None
        self._line_start = True
        self._reading: ParsedText | None = None
        self._links = MultilineLinks()
        self._spoilers = LineSpoilerState(joined=settings.degree is Degree.NONE)
        # In the order of the rules: a name, what wakes it (nothing: anything does), whether it is wanted.
        self._rules = _asleep(
            (name, wakes, rule)
            for name, wakes, wanted, rule in (
                ("emoji repeat", ":", bool(self._used), self._drop_repeats),
                ("unicode space", BLANK, settings.uncensor_unicode_space, blanks_to_spaces),
                ("middle dot", DOT, settings.strip_middle_dots, drop_dots),
                ("system note", r"\[[sS][yY]", True, drop_system_messages),
                ("end of turn", r"<(?:\||｜|\w{3,5}_of_turn>)", True, drop_turn_tokens),
                ("blank lines", r"\n[ \t]*\n[ \t]*\n", True, join_blank_lines),
                ("no emoji", "", not settings.emoji_usage, drop_all_emoji),
                (NAMES, ":|@", bool(self._book or self._people), self._resolve_names),
                ("own name", ":|：", self._labels is not None, self._strip_own_name),
                ("link", LINKLIKE, settings.links != "all", self._restrict_links),
            )
            if wanted
        )
        self._adapting = (
            _asleep([(CONVERT_MARKDOWN, CONVERTIBLE, self._adapt)]) if settings.convert_markdown else None
        )
        self._linking = _asleep([("link target", r"\]\(", show_targets)])
        self._bars = _asleep(
            [
                ("operator", r"\|\|", escape_operators),
                ("empty spoiler line", r"\|\|[ \t]*(?:\n|$)", drop_empty_ends),
                (SPOILER, r"\|\|", self._spoilers.edit),
            ]
        )
        links = [("link", LINKLIKE, self._restrict_links)] if settings.links != "all" else []
        bars = [("operator", r"\|\|", escape_operators), (SPOILER, r"\|\|", self._spoilers.edit)]
        self._hiding = _asleep([*links, *bars])

    def clean(self, traced: TracedText, *, line_start: bool = True) -> TracedText:
        """Rules 3 to 5."""
        return self._run(self._rules, hide_secrets(traced), line_start=line_start)

    def finish(self, traced: TracedText, *, line_start: bool = True) -> TracedText:
        """Rule 9, and what Discord would misread."""
        if self._adapting:
            traced = self._run(self._adapting, traced, line_start=line_start)
        odd_brackets = may_deceive(traced.text)
        if odd_brackets:
            traced = self._run(self._linking, traced, line_start=line_start)
        if "||" in traced.text:
            traced = self._run(self._bars, traced, line_start=line_start)
            odd_brackets = may_deceive(traced.text)
        if (odd_brackets or self._links.opened) and (edits := self._links.part(traced.text)):
            traced = traced.replace("link target", edits)
        return self._spoilers.note(traced)

    def rest(self) -> None:
        """A phase has ended: what follows is another message, and ends no link that was begun before."""
        self._links = MultilineLinks()
        self._spoilers.rest()

    def hide(self, traced: TracedText) -> TracedText:
        """What is hidden stays so without any rules: no bars mean another thing to Discord than here."""
        return self._spoilers.note(self._run(self._hiding, hide_secrets(traced), line_start=True))

    def _run(self, rules: _Sleepers, traced: TracedText, *, line_start: bool) -> TracedText:
        text = traced.text
        self._line_start = line_start
        for name, hears, rule in rules:
            if not hears(text):
                continue
            edits = rule(self.read(traced))
            if edits:
                traced = traced.replace(name if name is not NAMES else name_rules(edits), edits)
                text = traced.text
        return traced

    def read(self, traced: TracedText) -> ParsedText:
        """The reading of a passage, the same one until its text changes."""
        parsed = self._reading
        if parsed is None or parsed.text != traced.text:
            self._reading = parsed = ParsedText(traced.text, self._settings, traced.wholes)
        return parsed

    def _drop_repeats(self, parsed: ParsedText) -> list[Edit]:
        return drop_repeats(parsed, self._used) if self._used else []

    def _resolve_names(self, parsed: ParsedText) -> list[Edit]:
        """Emoji and people, both read as they were written."""
        edits: list[Edit] = []
        if self._book is not None and ":" in parsed.text:
            preserve = self._settings.emoji_preserve_unresolved_shortcodes
            edits = resolve_shortcodes(parsed, self._book, preserve=preserve)
        if self._people is not None and "@" in parsed.text:
            edits = join_edits(edits, resolve_mentions(parsed, self._people))
        return edits

    def _strip_own_name(self, parsed: ParsedText) -> list[Edit]:
        return strip_own_name(parsed, self._labels, line_start=self._line_start) if self._labels else []

    def _restrict_links(self, parsed: ParsedText) -> list[Edit]:
        return restrict_links(parsed, self._settings.link_hosts if self._settings.links == "known" else ())

    def _adapt(self, parsed: ParsedText) -> list[Edit]:
        return convert_markdown(parsed, line_start=self._line_start)


class Normalizer:
    """`feed` segments, take utterances and what became of the rest."""

    def __init__(
        self, settings: Settings, rules: Sequence[Rule] = (), context: AnswerContext = NO_CONTEXT
    ) -> None:
        self.custom_rules = CustomRules(rules) if rules else None
        self._settings = settings
        self._texts = TextRules(settings, context)
        self._known = SecretFilter(settings.secrets) or None
        self._wardrobe = (
            SpriteTable(context.persona, settings, context) if context.persona and settings.rules else None
        )
        self._guard = Guard(settings, context) if settings.speaker_guard != "off" and settings.rules else None
        self._face = self._wardrobe.base if self._wardrobe else PersonaAppearance()
        prefill = self._texts.clean(TracedText.added(context.prefill, "prefill")).text
        self._opening = PrefillStripper(prefill if settings.rules else "")
        self._holds = settings.rules and settings.degree is not Degree.NONE
        self._parts_pages = settings.rules and settings.headings == "together"
        self._tables = settings.rules and settings.tables != "off"
        self._sent = False  # something was said in this turn
        self._halted = False
        self._restart()

    def _restart(self) -> None:
        self._texts.rest()
        self._held = PendingPunctuation()  # expressive punctuation, for the next utterance,
        self._held_face = self._face  # and the look that said it
        self._rule: tuple[TracedText, Segment] | None = None  # across the page, if something follows it
        self._fragment: TracedText | None = None  # a lone mark, in case nothing else is ever said
        self._line_start = True
        self._spoke = False

    def feed(self, segment: Segment, repairs: list[Replaced]) -> list[Said]:
        """What a segment says, with the repairs that were made in it."""
        traced = dress(segment, repairs, tables=self._tables)
        starts_line, self._line_start = self._line_start, segment.text.endswith("\n")
        if not segment.text.strip():
            return [Dropped(traced.written, "white space", traced.spans), *traced.edits]
        if self._halted:
            return [Dropped(traced.written, GUARD, traced.spans), *traced.edits]
        if self._wardrobe and starts_line and self._face.copied:
            self._face = self._wardrobe.base
        said: list[Said] = []
        waiting, self._rule = self._rule, None
        if self._parts_pages and starts_line and RULE_LINE.match(segment.text):
            said, traced, segment = self._drop_rule(traced, segment)
        if waiting and self._rule:
            said += _drop_whole(waiting[0])
        elif waiting:
            said += self._hear(*waiting, starts_line=True)
        return said + self._hear(traced, segment, starts_line=starts_line) if segment.text else said

    def _hear(self, traced: TracedText, segment: Segment, *, starts_line: bool) -> list[Said]:
        """A segment that says something, or is punctuation alone."""
        orphan = classify_orphan(segment.text) if self._holds else None
        if orphan is not None:
            return self._hold(traced, segment.boundary, orphan)
        if segment.ticks:
            return self._speak(hide_secrets(traced), segment.boundary)
        if not self._settings.rules:
            return self._speak(self._texts.hide(traced), segment.boundary)
        return self._apply(traced, segment.boundary, starts_line=starts_line)

    def flush(self, boundary: Boundary = Boundary.FINAL) -> list[Said]:
        """What was held and has nothing to stand before."""
        if not self._held and self._fragment and not self._spoke:
            self._held.add(self._fragment)
            self._fragment = None
        said = self._say_held(boundary)
        if self._rule:
            said += _drop_whole(self._rule[0])
        self._restart()
        return [*said, *self._opening.flush()]

    def _drop_rule(self, traced: TracedText, segment: Segment) -> tuple[list[Said], TracedText, Segment]:
        """A rule across the page is no message: it goes if it comes first, and alone it waits for more."""
        lost: list[Said] = []
        while rule := RULE_LINE.match(segment.text):
            newline = segment.text.find("\n") + 1 or len(segment.text)
            rest = segment.text[newline:]
            next_line = rest.lstrip().partition("\n")[0].rstrip()
            last = rest.strip() and self._spoke and RULE_LINE.fullmatch(next_line) is None
            if segment.text[rule.end() : newline].strip() or last:
                break
            if not rest.strip() and self._spoke:
                self._rule = traced, segment
                return lost, traced, segment._replace(text="")
            lost += _drop_whole(traced.cut(0, newline))
            traced, segment = traced.cut(newline, len(traced.text)), segment._replace(text=rest)
        return lost, traced, segment

    # --- Rules ----------------------------------------------------------------------------------

    def _apply(self, traced: TracedText, boundary: Boundary, *, starts_line: bool) -> list[Said]:
        """Rule 2 parts a text by looks, 3 to 5 change its words, 6 comes when it is said, 7 may end it."""
        parts = self._divide(traced, starts_line=starts_line) if self._wardrobe else ()
        if not parts:
            piece = self._texts.clean(traced, line_start=starts_line)
            check = self._guarded if self._guard or self.custom_rules else self._finish
            return check(piece, boundary, line_start=starts_line)
        said: list[Said] = []
        for part in parts:
            piece = traced.cut(part.start, part.end)
            if part.edits:
                edits = [(start - part.start, end - part.start, new) for start, end, new in part.edits]
                piece = piece.replace("render modifier", edits)
            self._face = part.appearance
            line_start = starts_line or part.start > 0
            piece = self._texts.clean(piece, line_start=line_start)
            why = boundary if part.end == len(traced.text) else Boundary.NEWLINE
            said += self._guarded(piece, why, line_start=line_start)
            if self._halted:
                rest = traced.cut(part.end, len(traced.text))
                return said + ([*rest.edits, Dropped(rest.written, GUARD, rest.spans)] if rest.spans else [])
        return said

    def _divide(self, traced: TracedText, *, starts_line: bool) -> Sequence[Part]:
        text = traced.text
        if self._wardrobe is None or not (":" in text or "：" in text or self._face.copied):
            return []
        return split_by_speaker(self._texts.read(traced), self._wardrobe, self._face, line_start=starts_line)

    def _guarded(self, traced: TracedText, boundary: Boundary, *, line_start: bool) -> list[Said]:
        if self.custom_rules:
            traced = self.custom_rules.apply(
                traced,
                lambda text: self._texts.read(TracedText(text, ())).free,
                first=not self._sent,
                line_start=line_start,
            )
        found = None
        if self._guard and (":" in traced.text or "：" in traced.text):
            parsed = self._texts.read(traced)
            found = find_foreign_line(parsed, self._guard, from_start=line_start and self._sent)
        if found is None:
            return self._finish(traced, boundary, line_start=line_start)
        at, speaker = found
        before, rest = traced.cut(0, at) if at else TracedText("", ()), traced.cut(at, len(traced.text))
        said = self._finish(before, boundary, line_start=line_start) if at else []
        said += self._let_go(boundary)
        self._halted = True
        dropped = [Dropped(rest.written, GUARD, rest.spans)] if rest.spans else []
        return [*said, Halt(GUARD, speaker), *rest.edits, *dropped]

    def _finish(self, traced: TracedText, boundary: Boundary, *, line_start: bool) -> list[Said]:
        """Rule 8 parts a text once more, by tables; rule 9 comes last."""
        if not self._tables or "|" not in traced.text:
            return self._speak(self._texts.finish(traced, line_start=line_start), boundary)
        said: list[Said] = []
        for part in split_tables(traced, self._settings):
            if part.table is None:
                finished = self._texts.finish(part.traced, line_start=line_start)
                said += self._speak(finished, boundary)
            else:
                said += self._speak(part.traced, boundary, part.table)
            line_start = True
        return said

    def _let_go(self, boundary: Boundary) -> list[Said]:
        """Nothing more will come: say what was held."""
        return [*self._say_held(boundary), *self._opening.flush()]

    # --- Punctuation alone ----------------------------------------------------------------------

    def _say_held(self, boundary: Boundary) -> list[Said]:
        """What was held has nothing to stand before."""
        lost = self._drop_fragment()
        self._spoke = self._spoke or bool(self._held)
        return lost + (self._utter(self._held.pop(), boundary) if self._held else [])

    def _hold(self, traced: TracedText, boundary: Boundary, orphan: OrphanKind) -> list[Said]:
        if orphan is OrphanKind.FRAGMENT:
            return self._put_aside(traced)
        self._held.add(traced)
        self._held_face = self._face
        # A flood of dots is not for anything that follows.
        return (
            self._say_held(boundary) if self._held.length > self._settings.unmatched_delimiter_limit else []
        )

    def _put_aside(self, traced: TracedText) -> list[Said]:
        lost = self._drop_fragment()
        self._fragment = traced
        return lost + (self._drop_fragment() if self._spoke else [])

    def _drop_fragment(self) -> list[Said]:
        traced, self._fragment = self._fragment, None
        return [Dropped(traced.written, "fragment", traced.spans), *traced.edits] if traced else []

    def _speak(self, traced: TracedText, boundary: Boundary, table: Table | None = None) -> list[Said]:
        if not traced.text.strip():
            return [*traced.edits, *_rest(traced)]
        said = self._drop_fragment() if self._fragment else []
        self._spoke = True
        if self._held:
            if table:
                said += self._utter(self._held.pop(), boundary)
            elif self._held_face != self._face:
                said += self._utter(self._held.pop(), boundary, appearance=self._held_face)
            else:
                traced = self._held.pop_before(traced)
        return said + self._utter(traced, boundary, table)

    def _utter(
        self,
        traced: TracedText,
        boundary: Boundary,
        table: Table | None = None,
        appearance: PersonaAppearance | None = None,
    ) -> list[Said]:
        """Rule 6 comes last, so that no rule reads the prefill twice."""
        self._sent = True
        if self._known is not None:
            traced = hide_known(traced, self._known)
        utterance = NormalizedSegment(traced, boundary, (appearance or self._face).speaker, table)
        return [*self._opening.feed(utterance)] if self._opening else [utterance]


def _drop_whole(rule: TracedText) -> list[Said]:
    """A rule across the page that parts nothing."""
    return [Dropped(rule.written, "rule", rule.spans), *rule.edits]


def _rest(traced: TracedText) -> list[Dropped]:
    """White space that a rule left of a segment."""
    return [Dropped(traced.written, "white space", traced.spans)] if traced.spans else []

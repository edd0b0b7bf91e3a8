"""Find attributions after quoted speech: `"Let's go!" Luna says`, `—¿Vienes? —preguntó ella`.

A sentence does not end between speech and its attribution. In scripts with capitals a small letter marks an
attribution, or a verb of speech among the next few words; in scripts without spaces a verb in the next clause.
Scripts without capitals often put the verb last, and no list has all verbs: there a short clause counts as an
attribution, unless the speaker was named before the speech (`قال: «نعم.» ثم جلس.`). Functions that return
`bool | None` return None if the answer depends on text that has not arrived yet.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final
from unicodedata import category

from ..word_lists import load_phrases, load_words
from .abbreviations import WordSet
from .punctuation import COLONS, COMMAS, DASHES, EMPHATIC, ENDS, QUOTE_ENDS, SPACES, class_of

_MAX_ATTRIBUTION_WORDS = 4
_MAX_WORD_CHARS = 48
_CLAUSE_CHARS = 24
_LONG_CLAUSE_CHARS = 80
_LEAD_IN_CHARS = 48
_LINE_START_CHARS = 32
_INSET = re.compile(rf"[^—\n.!?…]{{1,{_LONG_CLAUSE_CHARS}}}")

_NO_SPEAKER = re.compile("誰も|[没沒無无]有?人|[谁誰]也[没沒不]")
_KOREAN_SPEECH_VERBS = re.compile(
    "말했|말하|말한|물었|묻는|물어|외쳤|외치|외친|소리쳤|소리치|속삭|대답|중얼|덧붙|답했|답하"
    "|되물|되묻|생각했|생각하|웃으며|하며|하면서|라며|라면서|라는|라고"
)
_CLAUSE_VERBS = re.compile(
    "(?<!小)(?<!传)(?<!傳)[说說](?![明服不])|问(?!题)|問(?!題)|喊|答(?!案)|嚷|吼|[笑怒喝叫叹嘆应應骂罵]道|大叫|尖叫|嘀咕|低语|低語"
    "|回[应應]|表示|喃喃|嘟[囔哝]|咆哮|[惊驚]呼|感[叹嘆]|[^知街味频頻铁鐵轨軌管渠]道\\Z|言[いっうわ]|叫[びんぶ]|尋ね|訊[いねく]|聞[いき]|答え|呟|つぶや|囁|ささや|怒鳴|告げ|述べ|話し|笑[いっう]|続け"
    "|思[いっうわ]|考え|心[里裡中]?想|暗想|想[道着著]|(?<!不)想\\Z"
)
_CLAUSE_END = re.compile(rf"[{class_of(ENDS, COMMAS, COLONS, QUOTE_ENDS)}「『（(\n]")
_MAX_FAREWELL_CHARS = 40
_MAX_QUOTATION_CHARS = 600
_SPEAKER_NAMED_BEFORE = frozenset({"verb", "object"})
_AND_THEN = ("然后", "然後", "接着", "接著", "随后", "隨後", "转身", "轉身", "说完", "說完", "便", "就")

PARTICLE_STARTS: Final = frozenset("がをにはもでへのかまだなじとっ的之吗呢這这那")
"""First characters of the particles that `follows_particle` finds."""
PARTICLE_LOOKAHEAD_CHARS: Final = 5
"""Characters after a mark that `follows_particle` reads."""

# Particles after a mark alone, for speech without quotation marks.
_PARTICLE_AFTER_MARK = re.compile(
    "[がのには](?=[一-龯ァ-ヴA-Za-z])|という(?!か|わけ|こと|の)|って(?:[思言聞叫書話]|感じ|こと|なっ|なる)|と[思言聞叫考感答話]|を(?![ぁ-ん])"
)
# Particles after quotation marks, brackets and emphasis.
_PARTICLE_AFTER_CLOSER = re.compile(
    "[がをにはもでへの](?![ぁ-んー、，,])|から(?![かっだ])|まで|だけ(?!ど)|です|でし[たょ]|だった|だと思"
    "|なの(?![でに])|じゃな|的(?![确確])|之[类類]|吗|呢|[这這那][句个個种種番]?(?:话|話|问题|問題|说法|說法|声音|聲音)"
)

_WORD_JOINERS = frozenset("'’-‑\u200c\u200d")
_OPENING_QUOTES = {"”": "“„”", "“": "„", "»": "«", "«": "»", "’": "‘‚’", "‘": "‚", "›": "‹", "」": "「", "』": "『",
            "｣": "｢", "》": "《", "〉": "〈", "〞": "〝"}  # fmt: skip
_MARKERS = " \t\u00a0\u202f\u3000*_~"


@cache
def _speech_verbs() -> WordSet:
    return WordSet(load_words("speech_verbs"))


def continues_after_dash(text: str, at: int, *, quoted: bool, final: bool) -> bool | None:
    """Return whether a dash leads to an attribution, and not to the next speaker."""
    end = at
    while end < len(text) and end < at + 3 and text[end] in DASHES:
        end += 1
    gap = end
    while gap < len(text) and gap < end + 2 and text[gap] in SPACES:
        gap += 1
    if gap == len(text):
        return None if not final else False
    if text[at] == "-" and end == at + 1 and gap == end:
        return False  # a hyphen, or a minus
    signed = quoted or text[at:end] == "--"  # a saying and its author
    if text[gap].islower() or (signed and text[gap].isalpha()):
        return True
    if not text[gap].isalpha():
        return False
    inset = _is_inset(text, gap, final=final) if gap == end and text[at] == "—" else False
    return inset if inset is not False else has_speech_verb(text, gap, final=final)


def _is_inset(text: str, at: int, *, final: bool) -> bool | None:
    """Return whether another dash ends the text after one: `—Hola. —Ella sonrió—. ¿Qué tal?`."""
    end = _INSET.match(text, at).end()  # type: ignore[union-attr]
    if end == len(text) < at + _LONG_CLAUSE_CHARS and not final:
        return None
    return text[end : end + 1] == "—"


def opens_with_dash(text: str, at: int, start: int) -> bool:
    """Return whether the line is speech after a dash: `— Tu viens ? demanda-t-elle`."""
    first = max(start, text.rfind("\n", start, at) + 1)
    return text[first : first + _LEAD_IN_CHARS].lstrip()[:1] in {"—", "–", "―"}


def is_lowercase_line(text: str, at: int, start: int) -> bool:
    """Return whether the line begins with a small letter: its author does not capitalize sentences."""
    first = max(start, text.rfind("\n", start, at) + 1)
    letter = next(filter(str.isalpha, text[first : first + _LINE_START_CHARS]), "")
    return letter.islower()


def is_attributed(text: str, start: int, end: int, closed: int, cut: int, *, final: bool) -> bool | None:
    """Return whether the text after a quotation names the speaker or continues the sentence around it.

    `他看了《怎么办？》这本书` and `他喊“走！”就走了` are one sentence each.
    """
    closer = next(mark for mark in reversed(text[end:closed]) if mark in QUOTE_ENDS)
    lead_in = classify_lead_in(text, max(start, end - _MAX_QUOTATION_CHARS), end, closer)
    after = text[cut]
    if after.isupper():
        return False if lead_in in _SPEAKER_NAMED_BEFORE else has_speech_verb(text, cut, final=final)
    if cut == closed:
        cried = text[end - 1] in EMPHATIC and lead_in == "object"
        return (
            cried
            or lead_in == "words"
            or closer in "》〉"
            or _continues_after_quotation(text, cut, lead_in, final=final)
        )
    if lead_in == "words" or after == "و":
        return True
    if lead_in in _SPEAKER_NAMED_BEFORE:
        return False
    said = has_speech_verb(text, cut, final=final)
    return said if said is not False else clause_names_speaker(text, cut, final=final)


def _continues_after_quotation(text: str, at: int, lead_in: str, *, final: bool) -> bool | None:
    """Return whether text right after a quotation continues it, in a script without spaces."""
    if lead_in != "verb":
        return clause_has_speech_verb(text, at, final=final)
    return None if len(text) < at + 2 and not final else text.startswith(_AND_THEN, at)


def has_speech_verb(text: str, at: int, *, final: bool) -> bool | None:
    """Return whether a verb of speech is among the next words."""
    first = at
    for _ in range(_MAX_ATTRIBUTION_WORDS):
        end, last = at, min(len(text), at + _MAX_WORD_CHARS)
        while end < last and (
            text[end].isalpha() or text[end] in _WORD_JOINERS or category(text[end])[0] == "M"
        ):
            end += 1
        if end == len(text) and not final:
            return None
        if _is_speech_verb(text[at:end]):
            return text[first].isupper() or text[end : end + 1] not in COLONS  # `«نعم.» قال: «لا.»`
        if (
            end == at
            or text[end : end + 1] not in SPACES
            or text[at:end].lower() in load_words("not_a_speaker")
        ):
            return False
        at = end + 1
    return False


def starts_with_speech_verb(text: str, at: int, *, final: bool) -> bool | None:
    """Return whether a verb of speech is here."""
    return _speech_verbs().match_at(text, at, final=final)


def clause_has_speech_verb(text: str, at: int, *, final: bool) -> bool | None:
    """Return whether the clause here has a verb of speech, in a script without spaces."""
    stop = _CLAUSE_END.search(text, at, at + _CLAUSE_CHARS)
    if stop is None and len(text) < at + _CLAUSE_CHARS and not final:
        return None
    end = stop.start() if stop else min(len(text), at + _CLAUSE_CHARS)
    if _NO_SPEAKER.match(text, at) or (stop and stop[0] in COLONS):  # `“去吗？”我说：“去。”`
        return False
    return _CLAUSE_VERBS.search(text, at, end) is not None


def follows_particle(text: str, at: int, *, closes: bool) -> bool:
    """Return whether a particle that begins no sentence is here, after a mark or what it `closes`.

    `これは**重要！**です`, `すごい！と思った`, `“走吧！”的声音`. Many particles also begin words (`もう`,
    `がんばれ`): those count only before a character that is no kana.
    """
    return (_PARTICLE_AFTER_CLOSER if closes else _PARTICLE_AFTER_MARK).match(text, at) is not None


def clause_names_speaker(text: str, at: int, *, final: bool) -> bool | None:
    """Return whether the clause here names the speaker, in a script without capitals.

    It is short, or its last word is a verb of speech.
    """
    stop = _CLAUSE_END.search(text, at, at + _LONG_CLAUSE_CHARS)
    if stop is None and len(text) < at + _LONG_CLAUSE_CHARS and not final:
        return None
    words = text[at : stop.start() if stop else at + _LONG_CLAUSE_CHARS].split()
    if not words or words[0] in load_words("not_a_speaker") or (stop and stop[0] in COLONS):
        return False
    whole = stop is not None or len(text) < at + _LONG_CLAUSE_CHARS
    return whole and (
        _is_speech_verb(words[-1]) or (len(words) <= _MAX_ATTRIBUTION_WORDS and _may_name_speaker(words[0]))
    )


def _may_name_speaker(word: str) -> bool:
    """Return whether a short clause may name the speaker.

    In Korean the verb ends the clause and in Arabic it begins it, so other short clauses do not count.
    """
    if "ء" <= word[0] <= "ي":
        return any(word[:size] in _speech_verbs() for size in range(3, len(word)))  # `سألتني`
    return not "가" <= word[0] <= "힣"


def classify_lead_in(text: str, lower_bound: int, end: int, closer: str) -> str:
    """Return what introduces the quotation that ends here: "verb", "object" of a verb, "words" or "".

    The result is "" if a sentence begins with the quotation.
    """
    opened = max(text.rfind(mark, lower_bound, end) for mark in _OPENING_QUOTES.get(closer, closer))
    before = text[max(lower_bound, opened - _LEAD_IN_CHARS) : max(lower_bound, opened)].rstrip(_MARKERS)
    marked = before[-1:] in COMMAS or before[-1:] in COLONS
    if opened < 0 or not (marked or before[-1:].isalnum() or category(before[-1:] or " ")[0] == "M"):
        return ""
    clause = re.split(rf"[{class_of(ENDS, QUOTE_ENDS)}\n]", before[:-1] if marked else before)[-1]
    if any(map(_is_speech_verb, clause.split()[-_MAX_ATTRIBUTION_WORDS:])) or _CLAUSE_VERBS.search(
        clause[-6:]
    ):
        return "verb" if marked else "object"
    return "" if marked else "words"


def is_farewell(line: str) -> bool:
    """Return whether a line is the closing of a letter, so that a name follows."""
    if len(line) > _MAX_FAREWELL_CHARS:
        return False
    words = line.lower()
    return words.rstrip(",，") in load_phrases("farewells_without_comma") or (
        words[-1:] in ",،" and words[:-1] in load_phrases("farewells")
    )


def _is_speech_verb(word: str) -> bool:
    """Return whether a word is a verb of speech, or has one as a part: `demanda-t-elle`, `s'exclame`."""
    small = word.lower()
    if small in _speech_verbs() or _KOREAN_SPEECH_VERBS.match(word):
        return True
    return any(part in _speech_verbs() for part in re.split("['’‑-]", small)) if len(small) > 3 else False

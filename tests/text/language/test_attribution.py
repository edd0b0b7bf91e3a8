"""Who spoke, behind what was said: in words, behind a dash, and in scripts without spaces."""

from __future__ import annotations

import pytest

from streamcord._text.language.attribution import (
    PARTICLE_LOOKAHEAD_CHARS,
    PARTICLE_STARTS,
    classify_lead_in,
    clause_has_speech_verb,
    clause_names_speaker,
    continues_after_dash,
    follows_particle,
    has_speech_verb,
    is_attributed,
    is_farewell,
    is_lowercase_line,
    opens_with_dash,
    starts_with_speech_verb,
)


@pytest.mark.parametrize(
    "text",
    [
        "Luna says, grabbing",
        "Old Tom said.",
        "The tall man asked why",
        "demanda-t-elle.",
        "s'exclame Luna",
        "Луна говорит",
        "루나가 말했다.",
        "قالت لونا",
        "उसने पूछा।",
        "asked",
    ],
)
def test_a_verb_of_speech_among_the_next_words_says_who_spoke(text: str) -> None:
    assert has_speech_verb(text, 0, final=True) is True


@pytest.mark.parametrize(
    "text",
    [
        "He left.",
        "She smiles and one of them says",
        "",
        "Luna, says he",
        "Luna  says",
        "Luna ",
        "a-b c",
        "5 said",
        "قال: «لا.»",
        "Nobody answered.",
        "Никто не отвечает.",
        "아무도 대답하지 않는다",
    ],
)
def test_other_words_do_not(text: str) -> None:
    assert has_speech_verb(text, 0, final=True) is False


def test_it_waits_while_a_verb_may_come_and_no_longer() -> None:
    said = "Luna quietly says"
    assert [has_speech_verb(said[:size], 0, final=False) for size in (0, 4, 5, 12, 13, 17)] == [None] * 6
    assert has_speech_verb(said + ",", 0, final=False) is True
    assert has_speech_verb("Luna quietly goes away ", 0, final=False) is False
    assert has_speech_verb("Luna.", 0, final=False) is False
    assert has_speech_verb("a" * 60, 0, final=False) is False


@pytest.mark.parametrize(
    ("text", "quoted", "leads"),
    [
        ("— she asked", False, True),
        ("—preguntó", False, True),
        ("— Oscar Wilde", True, True),
        ("— Oscar Wilde", False, False),
        ("— Маша сказала", False, True),
        ("—Claro", False, False),
        ("—¿Qué", True, False),
        ("- she asked", False, True),
        ("-she", False, False),
        ("-- she", False, True),
        ("-- Mark Twain", False, True),
        ("—", False, False),
    ],
)
def test_a_dash_leads_to_who_spoke_or_to_the_next(text: str, quoted: bool, leads: bool) -> None:
    assert continues_after_dash(text, 0, quoted=quoted, final=True) is leads


def test_behind_a_dash_the_next_letter_is_waited_for() -> None:
    assert continues_after_dash("—", 0, quoted=False, final=False) is None
    assert continues_after_dash("— ", 0, quoted=False, final=False) is None
    assert (
        continues_after_dash("—   ", 0, quoted=False, final=False) is False
    )  # no word is looked for so far away
    assert continues_after_dash("— Ma", 0, quoted=False, final=False) is None


def test_text_between_two_dashes_is_attribution() -> None:
    assert continues_after_dash("—Ella sonrió—. ¿Qué?", 0, quoted=False, final=True) is True
    assert continues_after_dash("—Claro que sí.", 0, quoted=False, final=True) is False
    assert continues_after_dash("—Ella son", 0, quoted=False, final=False) is None
    assert continues_after_dash("—Ella" + "a" * 90 + "—", 0, quoted=False, final=False) is False


def test_a_line_of_speech_opens_with_a_dash() -> None:
    assert opens_with_dash("so\n — Tu viens ? dit", 14, 0)
    assert not opens_with_dash("Tu viens ? dit", 9, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("她問。", True),
        ("他喊道。", True),
        ("ルナが叫んだ。", True),
        ("彼女は言った", True),
        ("小明小声地问。", True),
        ("我不知道！", False),
        ("小说很好。", False),
        ("问题来了。", False),
        ("空は青い。", False),
        ("好，他说", False),
        ("没有人回答。", False),
        ("我说：好", False),
        ("他淡淡道。", True),
        ("这条街道。", False),
        ("誰も答えない。", False),
        ("", False),
    ],
)
def test_a_clause_with_a_verb_of_speech_follows_speech(text: str, said: bool) -> None:
    assert clause_has_speech_verb(text, 0, final=True) is said


def test_a_clause_is_waited_for_to_its_end_or_its_bound() -> None:
    assert clause_has_speech_verb("她", 0, final=False) is None
    assert clause_has_speech_verb("她問", 0, final=False) is None
    assert clause_has_speech_verb("她問。", 0, final=False) is True
    assert clause_has_speech_verb("好" * 24, 0, final=False) is False


def test_a_verb_that_stands_right_here() -> None:
    assert starts_with_speech_verb("demanda-t-elle", 0, final=False) is True
    assert starts_with_speech_verb("dem", 0, final=False) is None
    assert starts_with_speech_verb("how", 0, final=False) is False


@pytest.mark.parametrize(
    ("text", "names_speaker"),
    [
        ("היא ענתה.", True),
        ("उसने बहुत धीरे से माँ से पूछा।", True),
        ("민수가 아주 놀란 목소리로 말했다.", True),
        ("דני הרים את ראשו והסתכל סביב.", False),
        ("나는 웃었다.", False),
        ("לא היה שם איש.", False),
        ("ثم ذهبت.", False),
        ("היא אמרה: כן", False),
        ("א" * 90, False),
        ("", False),
    ],
)
def test_short_clause_or_final_verb_names_speaker(text: str, names_speaker: bool) -> None:
    assert clause_names_speaker(text, 0, final=True) is names_speaker


def test_arabic_clause_names_speaker_by_its_first_word() -> None:
    assert clause_names_speaker("سألتني أختي", 0, final=True) is True
    assert clause_names_speaker("هيا بنا", 0, final=True) is False


def test_such_a_clause_is_waited_for_and_no_longer() -> None:
    assert clause_names_speaker("היא ענתה", 0, final=False) is None
    assert clause_names_speaker("היא ענתה.", 0, final=False) is True
    assert clause_names_speaker("א" * 90, 0, final=False) is False


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ('He asked, "Why?', "verb"),
        ('Luna says: *"Why?', "verb"),
        ("他问：“你？", "verb"),
        ("她的“不！", "words"),
        ('Then, "Run!', ""),
        ('"Run!', ""),
        ('He left. "Run!', ""),
        ('He said so. Then, "Run!', ""),
        ("Run!", ""),
        ("उसकी “नहीं!", "words"),
    ],
)
def test_what_leads_to_speech(text: str, lead: str) -> None:
    closer = "”" if "“" in text else '"'
    assert classify_lead_in(text, 0, len(text), closer) == lead


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("Best,", True),
        ("Kind regards,", True),
        ("Mit freundlichen Grüßen", True),
        ("LG,", True),
        ("مع التحية،", True),
        ("敬具", True),
        ("Best", False),
        ("Thanks, I will,", False),
        ("With all the love that a letter could ever hold,", False),
        ("", False),
    ],
)
def test_a_line_ends_a_letter(line: str, ends: bool) -> None:
    assert is_farewell(line) is ends


def attribute(marked: str, *, final: bool = True) -> bool | None:
    """The verdict on what stands behind the bar, which the closing marks and spaces stand before."""
    head, _, tail = marked.partition("|")
    closed = len(head.rstrip())
    end = len(head.rstrip().rstrip('"”』」》»'))
    return is_attributed(head + tail, 0, end, closed, len(head), final=final)


@pytest.mark.parametrize(
    ("marked", "goes_on"),
    [
        ('"Go!" |Luna says.', True),
        ('He said: "Go!" |Luna says.', False),
        ("“走吧！”|他喊道。", True),
        ("“走吧！”|大家都走了。", False),
        ("他说：“走吧！”|然后就走了。", True),
        ("他说：“走吧！”|大家都走了。", False),
        ("他喊“走吧！”|大家都走了。", True),
        ("他说“走吧。”|大家都走了。", False),
        ("我看了《怎么办？》|这本书。", True),
        ("《怎么办？》|这本书。", True),
        ("كتاب «من أنت؟» |كثيرا.", True),
        ("قال: «نعم.» |وخرج.", True),
        ("قال: «نعم.» |ثم جلس.", False),
        ("«نعم.» |قال أحمد.", True),
        ("«نعم.» |ثم جلس.", False),
    ],
)
def test_what_follows_a_quotation_goes_on_or_begins_anew(marked: str, goes_on: bool) -> None:
    assert attribute(marked) is goes_on


def test_what_they_did_then_is_waited_for() -> None:
    assert attribute("他说：“走吧！”|然", final=False) is None
    assert attribute("他说：“走吧！”|大家", final=False) is False


BARE = ["と思った。", "って聞いた。", "という感じ。", "を使う。"]
CLOSED = [
    "です。",
    "が大事だ。",
    "から始める。",
    "でした。",
    "の答え",
    "的声音",
    "这个问题",
    "だった。",
    "は禁止。",
]
STARTS = ["とても", "っていうか", "ということで", "というか", "をさない"]
CLOSED_STARTS = [
    "もう行く",
    "がんばれ",
    "はい、",
    "でも、",
    "では、",
    "だけど",
    "なので",
    "的确",
    "这很好",
    "からかう",
]


@pytest.mark.parametrize("text", BARE)
def test_what_is_quoted_without_marks_goes_on(text: str) -> None:
    assert follows_particle(text, 0, closes=False)


@pytest.mark.parametrize("text", CLOSED)
def test_a_particle_behind_a_closed_mark_goes_on(text: str) -> None:
    assert follows_particle(f"「え？」{text}", 4, closes=True)


@pytest.mark.parametrize("text", STARTS)
def test_words_that_begin_so_begin_a_sentence(text: str) -> None:
    assert not follows_particle(text, 0, closes=False)


@pytest.mark.parametrize("text", CLOSED_STARTS)
def test_words_that_begin_like_a_particle_are_none(text: str) -> None:
    assert not follows_particle(text, 0, closes=True)


@pytest.mark.parametrize("text", [*BARE, *CLOSED])
def test_what_they_begin_with_is_told_and_how_far_they_reach(text: str) -> None:
    assert text[0] in PARTICLE_STARTS
    closes = text in CLOSED
    assert follows_particle(text[:PARTICLE_LOOKAHEAD_CHARS], 0, closes=closes)


def test_a_line_is_written_small_if_its_first_letter_is() -> None:
    assert is_lowercase_line("Yes.\n> so it is! really", 16, 0)
    assert not is_lowercase_line("Yes, so it is! really", 13, 0)
    assert is_lowercase_line("Yes, so it is! really", 13, 5)

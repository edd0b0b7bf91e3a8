"""The judge of sentence ends: what it says, and that it says the same however the text arrives."""

from __future__ import annotations

import pytest
import sentencex  # type: ignore[import-untyped]
from hypothesis import example, given, settings
from hypothesis import strategies as st

from streamcord._text.language.graphemes import is_boundary
from streamcord._text.language.punctuation import ENDS, STOPS
from streamcord._text.language.sentences import (
    NEED_MORE,
    NOT_FOUND,
    ends_plainly,
    find_sentence_end,
    split_sentences,
)

# A bar is a cut that must be found, and no other may be: the text is written without it.
SPLITS = {
    "questions and exclamations end": "Really? ¦Yes! ¦Wow! ¦Ok.",
    "a year ends": "It was 1999. ¦We left.",
    "ordinary words end": "I love us. ¦No. ¦Maybe may. ¦It is in the sun. ¦End.",
    "more ordinary words end": "I saw my ex. ¦What a fig. ¦Wait a sec. ¦End.",
    "the afternoon goes on": "See you at 5 p.m. today. ¦Bye.",
    "initials go on": "J. R. R. Tolkien wrote it. ¦Yes.",
    "initials of other scripts go on": "Это написал А. С. Пушкин. ¦Да.",
    "acronyms go on": "The U.S. and a Ph.D. maybe, a.k.a. the B.Sc. student. ¦Yes.",
    "ranks and measures go on": "He met Gen. Lee, Capt. Kirk, Sgt. Pepper, approx. 5 men, ca. 6 more. ¦Done.",
    "an abbreviation goes on in front of a capital": "Ask Dr. Who vs. Mr. Bean e.g. Monday. ¦Yes.",
    "the end of a list ends a sentence before a capital": "Tea, milk etc. are here. ¦Tea etc. ¦And so on.",
    "a shouted title goes on": "MR. BOND IS HERE. ¦RUN.",
    "a rank is a word when it is small": "Do one more rep. ¦Rep. Smith did.",
    "a state is no abbreviation": "He lives in CA. ¦Smith et al. Agree.",
    "a small letter behind a quote goes on": '"Really?" she asked. ¦"Yes." ¦He left.',
    "a span in the middle of Japanese is not known here": "これは**太字。¦です**よ。¦次の文です！¦終わり",
    "ellipses and numbers": "I was there... and then? ¦Wait... ¦No. 5 is alive. ¦No. ¦It is.",
    "a factorial is no end": "We know that 5! = 120 and 3! = 6. ¦Then n! / k! = 2. ¦I got 5! ¦Great.",
    "a factorial may begin a sentence": "5! is 120. ¦n! grows fast. ¦(2n)! is more. ¦i have 5! ¦that is a lot",
    "a sound leads to the next words": "あの… わかりません。¦저… 그게 아니에요. ¦疲れた… ¦寝る。",
    "a hesitation goes on": "I... I have it. ¦But... I can't. ¦Well... I'm here. ¦No… I mean yes.",
    "an unfinished clause goes on": "He stayed because... The door was shut. ¦He waited... ¦Then he left.",
    "phrases that are counted within a line": "States: 1. Solid 2. Liquid 3. Gas. ¦That is all.",
    "numbers at the ends of sentences": "I have 1. ¦You have 2. ¦They have 3. ¦We know.",
    "a small letter is no veto": "hello. ¦how are you. ¦fine",
    "an ellipsis of one character": "Well… maybe. ¦Well… ¦Maybe.",
    "two dots are an ellipsis": "so.. yes. ¦So.. ¦Yes.",
    "an ellipsis glued to a letter goes on": "wait...what and …so",
    "a mixed run is one end": "What?! ¦Really?... ¦no!!! ¦Yes.",
    "dots inside of names": "Use example.com, v1.2, 3.14, file.txt and OK.No always. ¦Done.",
    "the pronoun": "So did I. ¦Then they left.",
    "the number of a war": "In World War I. ¦Then came the second.",
    "a number in a list": "1. First. ¦Then this\n 2. Second\n\n> 3. Third.\n¦**4. Fourth**",
    "the sections of a page": "## 1.2. Title\n1.3. Another",
    "a letter in a list": "a. First thing. ¦Next thing\nb. Second",
    "a number late in a line": "This is a rather long line that ends with 12. ¦Yes.",
    "a variable ends": "Solve for x. ¦Then for y. ¦I know.",
    "a variable before an acronym goes on": "Solve for x. I. Newton did.",
    "a variable before a small word goes on": "solve for x. then for y.",
    "a letter of no case ends": "我. ¦Then",
    "closers stay": '(He left.) ¦"No!" ¦**Bold.** ¦||Spoiler.|| ¦Yes.',
    "closers before a small letter go on": "(he left.) and **wow!** yes. ¦Ok.",
    "a dot behind a bracket": "He came (late). ¦Yes.",
    "a lone dot": "so . ¦Yes",
    "a word too long to be an abbreviation": "a" * 40 + ". ¦Yes.",
    "figures and volumes": "See Fig. 3 in vol. 2, p. 7. ¦It is good.",
    "small abbreviations": "At max. 5 or min. length. ¦I like Max. ¦He is nice.",
    "a case": "Roe v. Wade was it. ¦Yes.",
    "German": "Das ist z. B. gut, d. h. bzw. z.B. fein. ¦Am 3. Oktober ca. 5 usw. ¦Ende.",
    "German ordinals": "Bis zum 5. Mai. ¦Es war am 12. Juni. ¦I am 20. ¦And you? ¦I was 20. ¦And you?",
    "French": "M. Dupont et Mme. Durand, p. ex. demain. ¦Bonjour ! ¦Ça va ? ¦«Oui.» ¦Bien.",
    "Spanish": "¿Qué tal? ¦¡Bien! ¦El Sr. López y la Sra. Ruiz, p. ej. hoy. ¦Adiós.",
    "Portuguese": "O Sr. Silva e a Dra. Souza chegaram. ¦Tudo bem?",
    "Italian": "Il sig. Rossi, il dott. Verdi ecc. sono qui. ¦Va bene!",
    "Dutch": "Fruit, bijv. appels enz. is goed. ¦Ja.",
    "Polish": "Owoce, np. jabłka itd. są dobre. ¦Tak.",
    "Russian": "Он живёт на ул. Ленина, т. е. рядом и т.д. всегда. ¦В 1999 г. он ушёл. ¦Да.",
    "Swedish": "Frukt, t.ex. äpplen och bl.a. päron. ¦Ja.",
    "Hindi": "डॉ. शर्मा यहाँ हैं। ¦वह कहाँ है? ¦ठीक है॥ ¦हाँ।",
    "Arabic": "كيف حالك؟ ¦أنا بخير. ¦شكرا.",
    "Urdu": "یہ ٹھیک ہے۔ ¦وہ کہاں ہے؟ ¦ہاں۔",
    "Amharic": "ሰላም ነው። ¦እንዴት ነህ፧ ¦ደህና።",
    "Chinese": "你好。¦你是谁？¦“真的吗？”¦我不知道！¦好……然后｡¦行",
    "Chinese after bold": "**重要。**¦下一句。¦**注意**：好。",
    "Chinese with straight quotes": '他说"好。"¦然后。¦"好"吧。',
    "Japanese": "「本当？」と言った。¦「うん。」¦彼は「え？」、と。¦すごい！！¦次",
    "Japanese quotes before another end": "「本当？」。¦次",
    "Japanese with spaces": "はい。　¦次です。 ¦終わり",
    "a small letter behind a Japanese quote": "「ok。」 she said. ¦Yes",
    "a decimal of full width": "３．１４です。¦１．項目．¦次",
    "an emoji of two marks": "やばい‼️¦次⁉️ ¦はい",
    "a combining mark on a space": "Hi. \u0301x. ¦Yes",
    "quotes that open low close high": "„Los!“ ¦Dann. ¦‚Ja.‘ ¦»Gut!« ¦Also los!“ Nein „so.",
    "quotes behind a space": "« Oui ! » ¦Bien. ¦Non. ¦» Bien",
    "an attribution behind other quotes": "「好。」 Luna says. ¦「好。」 ¦Tom left. ¦「好。」— 她說。¦好",
    "smileys belong to the sentence before": "Yes! :) ¦No. 😊😊 ¦Ok! (｡◕‿◕｡) ¦So. ^_^\n¦*Yay! 😊* ¦Hm. :)",
    "a smiley before a marker": "Yes! 😊 ¦*waves* Hi. 😊¦*nods* ok",
    "a sign that is no smiley": "Yes. ¦(maybe not) no. ¦#tag. ¦→ there. ¦[x。]¦(a)b",
    "a mark inside of a smiley": "Hm ._. so. ¦Yes (｡◕‿◕｡) yes. ¦No",
    "many smileys": "Yes! " + "😊 " * 8 + "¦😊 No.",
    "speech that a dash opens": "— Viens ! dit-elle. ¦— Tu viens ? demanda Luc. ¦— Ah ! oui.",
    "somebody who writes small": "hey! ¦ask him. ¦really? ¦said who?",
    "a dot that is spoken of": "Run find . -name x. ¦Use tar c . (dot) or ls . and go. ¦So . ¦(Yes.) ¦So .",
    "a dot spoken of by somebody who writes small": "hi . ¦so it is.",
    "a mark in quotes": "El '?' (sí) va. ¦这个 '.' 意味着没有。¦He wrote '.' And left. ¦So (.) ¦Then.",
    "a mark that stands alone behind an end": "He left. . ¦Then! ? ¦Yes. ¦...so. ¦Hm... ... and so. .",
    "an ellipsis that stands alone": "목록 하단의 … 단추를 눌러. ¦그래… ¦단추. ¦So ... ¦Yes. ... ¦5",
    "and so on behind dots in Arabic": "وثائق... الخ، نعم. ¦نعم... ¦انتهى.",
    "particles go on": "Yahoo! を使う。¦Wait... など。¦OK! という。¦Yes! ¦とても。¦Ok. ¦な",
    "marks of another script": "你好!¦我是小明?¦你呢.¦好。¦他来了...我走。¦Yahoo!知恵袋",
    "speech without capitals": '"क्या?" राम ने पूछा। ¦"कब?" उसने बहुत धीरे से माँ से पूछा।',
    "speech in Hebrew": '"כן." היא ענתה. ¦"לא."',
    "who spoke was told before": 'He asked, "Why?" ¦She said, "So." ¦قال: «نعم.» ¦ثم جلس.',
    "who spoke was told before, in Chinese": "他问：“你？”¦我说：“我。”¦好",
    "a quotation inside a sentence": "她的“不！”让人吃惊。¦这是 “好。” 的意思 吗？¦好",
    "a quotation inside an Arabic sentence": "صرخ «لا!» وركض. ¦من «هنا.» جاء. ¦نعم",
    "a title": "《怎么办？》是书。¦他看了《怎么办？》这本书。¦好",
    "behind a capital letter": 'Then, "Run!" Tom said. ¦The sign said "Stop!" ¦Tom called.',
    "laughter and signs": "Да! ))) ¦Нет. ((( ¦Hi! ~ ¦La. ♪♪ ¦だめ。ｗｗｗ ¦え。orz ¦はい！（笑） ¦うん",
    "laughter that is none": "(He left. ¦) Then. ¦word. ¦)x so. ¦ok. ¦www.x.org is. ¦A: x. ¦C: y. ¦D: z.",
    "a comma behind a smiley or dots goes on": "Ha! :D, so it is. ¦Hm... , well. ¦뭐? ㅋㅋ, 좋아. ¦Yes",
    "sad faces with an eye of a letter": "Oh no! D: ¦What? c: ¦So. ¦Do. ¦Der",
    "a name with a mark": "Yahoo! is old. ¦Ask! ¦iPhone users? ¦Who? then. ¦So!! ¦then.",
    "a colon behind a space": "Ex. : ceci. ¦Tél. : non. ¦Yes. :) ¦Fin. ¦:word is",
    "laughter in brackets": "でしょ？（笑）¦じゃあ。¦ok",
    "notes behind a mark": "So.[1] ¦Yes.[2][^3] ¦End.¹ ¦Shown.[4](https://x.y) ¦No.[x] no.[5](a b) ok",
    "faces that touch the mark": "네!ㅋㅋ ¦응.^^ ¦A!^b. ¦ひどい！＞＜ ¦うん！m(_ _)m ¦次",
    "particles behind what closes": "**重要！**です。¦「なぜ？」が大事だ。¦え！と思った。¦え！¦とても。",
    "newlines end it": "One.\n¦Two!\n\n¦Three",
}


@pytest.mark.parametrize("marked", SPLITS.values(), ids=SPLITS)
def test_a_text_splits_at_its_bars(marked: str) -> None:
    assert split_sentences(marked.replace("¦", "")) == marked.split("¦")


def test_nothing_has_no_sentences() -> None:
    assert split_sentences("") == []
    assert split_sentences("no end") == ["no end"]


EASY = {
    "en": [
        "I like tea.",
        "Do you like it?",
        "That is great!",
        "We met Dr. Smith in London.",
        "It costs 3.50 today.",
    ],
    "de": ["Ich mag Tee.", "Magst du ihn?", "Das ist toll!", "Wir trafen Dr. Schmidt in Berlin."],
    "fr": ["Il aime le thé.", "Tu viens avec nous?", "Quelle surprise!", "Nous partons demain."],
    "es": ["Me gusta el té.", "¿Vienes con nosotros?", "¡Qué sorpresa!", "El Sr. López llegó ayer."],
    "ja": ["私はお茶が好きです。", "あなたはどうですか？", "それはすごい！"],
    "zh": ["我喜欢喝茶。", "你呢？", "太好了！"],
    "ru": ["Я люблю чай.", "Ты идёшь с нами?", "Как хорошо!", "Мы уедем завтра."],
    "hi": ["मुझे चाय पसंद है।", "क्या तुम आओगे?", "बहुत अच्छा!"],
}


@pytest.mark.parametrize("language", EASY)
def test_easy_texts_split_as_another_library_splits_them(language: str) -> None:
    text = ("" if language in {"ja", "zh"} else " ").join(EASY[language])
    assert [piece.strip() for piece in split_sentences(text)] == EASY[language]
    assert [piece.strip() for piece in sentencex.segment(language, text)] == EASY[language]


def verdicts(text: str, at: int = -1) -> list[int]:
    """What is said at each length of the text, from the mark on."""
    at = text.index(".") if at < 0 else at
    return [find_sentence_end(text[:size], at) for size in range(at + 1, len(text) + 1)]


def test_an_end_is_named_at_the_first_character_that_makes_it_certain() -> None:
    assert verdicts("Hi. You") == [NEED_MORE, NEED_MORE, 4, 4, 4]
    assert verdicts("Hi.\nYou") == [NEED_MORE, 3, 3, 3, 3]
    assert verdicts("Hi. \nYou") == [NEED_MORE, NEED_MORE, 4, 4, 4, 4]
    assert verdicts("Hi.)  You") == [NEED_MORE, NEED_MORE, NEED_MORE, NEED_MORE, 6, 6, 6]
    assert verdicts('Hi." Yo.') == [NEED_MORE, NEED_MORE, NEED_MORE, NEED_MORE, NEED_MORE, 5]
    assert verdicts("Hi. The") == [NEED_MORE, NEED_MORE, NEED_MORE, 4, 4]  # a T may be a weeping eye
    assert verdicts("好。好", 1) == [NEED_MORE, 2]
    assert verdicts("OK. とても") == [NEED_MORE, NEED_MORE, NEED_MORE, 4, 4]  # という would go on
    assert verdicts("OK. . No") == [NEED_MORE, NEED_MORE, NEED_MORE, NOT_FOUND, NOT_FOUND, NOT_FOUND]
    assert verdicts("Run . -n") == [NEED_MORE, NEED_MORE, NEED_MORE, NOT_FOUND]
    assert verdicts("你.好", 1) == [NEED_MORE, 2]
    assert verdicts("Hi. orz Y") == [NEED_MORE] * 6 + [8]
    assert verdicts("Hi. ww Y") == [NEED_MORE] * 5 + [7]
    assert verdicts("네.^^ 그럼 내일 봐요", 1)[0] == verdicts("네.^", 1)[-1] == NEED_MORE
    assert verdicts("え！とても嬉しい", 1) == [NEED_MORE] * 5 + [2, 2]
    assert verdicts("No… ¿Si", 2) == [NEED_MORE, NEED_MORE, NEED_MORE, 4, 4]
    assert verdicts("好。[1]" + "好" * 8, 1)[-2:] == [NEED_MORE, 5]


def test_what_is_no_end_is_said_to_be_none_at_the_first_character_that_makes_it_certain() -> None:
    assert verdicts("a.b") == [NEED_MORE, NOT_FOUND]
    assert verdicts("Dr. Who") == [NEED_MORE, NEED_MORE, NOT_FOUND, NOT_FOUND, NOT_FOUND]
    assert verdicts("No. 5") == [NEED_MORE, NEED_MORE, NOT_FOUND]
    assert verdicts("um... so") == [NEED_MORE, NEED_MORE, NEED_MORE, NEED_MORE, NOT_FOUND, NOT_FOUND]
    assert verdicts("say z. B.", 5) == [NEED_MORE, NEED_MORE, NEED_MORE, NOT_FOUND]
    assert verdicts("say z. Be", 5) == [NEED_MORE, NEED_MORE, NEED_MORE, 7]
    assert verdicts("No… ¿si", 2) == [NEED_MORE, NEED_MORE, NEED_MORE, NOT_FOUND, NOT_FOUND]
    assert verdicts("【好！】好", 2) == [NEED_MORE, NEED_MORE, NOT_FOUND]


def test_a_marker_before_the_start_has_nothing_to_close() -> None:
    assert find_sentence_end("** 文。**太字** 次", 4, start=0, final=True) == 7
    assert find_sentence_end("** 文。**太字** 次", 4, start=3, final=True) == 5


def test_final_text_decides_pending_ends() -> None:
    assert find_sentence_end("Hi.", 2, final=True) == 3
    assert find_sentence_end("Hi. ", 2, final=True) == 4
    assert find_sentence_end("Hi...", 2, final=True) == 5
    assert find_sentence_end("so d. h. Das", 7, final=True) == NOT_FOUND
    assert find_sentence_end("at 5 p.m.", 8, final=True) == NOT_FOUND
    assert find_sentence_end("say z. B", 5, final=True) == 7


def test_a_smiley_is_waited_for_only_while_it_may_come() -> None:
    assert verdicts("Hi. :) So") == [NEED_MORE, NEED_MORE, NEED_MORE, NEED_MORE, NEED_MORE, 7, 7]
    assert verdicts("Hi. 😊 Yo") == [NEED_MORE, NEED_MORE, NEED_MORE, NEED_MORE, 6, 6]
    assert verdicts("Hi. 😊") == [NEED_MORE, NEED_MORE, NEED_MORE]
    assert find_sentence_end("Hi. 😊", 2, final=True) == 5
    assert find_sentence_end("Hi. 😊 \u0301x", 2, final=True) == 4
    assert verdicts("Hm ._. so fine")[-1] == NOT_FOUND
    assert verdicts("a ._", 2) == [NEED_MORE, NEED_MORE]


def test_only_full_stops_count_when_asked() -> None:
    text = "Hi! You? Yes?. Ok... No… 好！好。好"
    ends = [at for at in range(len(text)) if find_sentence_end(text, at, stops_only=True) > 0]
    assert ends == [text.index("?."), text.index("..."), text.index("…"), text.index("。")]
    assert STOPS < ENDS


def test_a_mark_inside_of_a_run_and_a_place_without_a_mark_are_no_ends() -> None:
    assert find_sentence_end("Hi!! You", 3) == NOT_FOUND
    assert find_sentence_end("Hi!! You", 1) == NOT_FOUND
    assert find_sentence_end("Hi!! You", 99) == NOT_FOUND
    assert find_sentence_end("Hi!! You", 2, start=3) == NOT_FOUND
    assert find_sentence_end("Hi!! You", 3, start=3) == 5


def test_nothing_before_the_start_is_looked_at() -> None:
    assert find_sentence_end("Mr. Y", 2) == NOT_FOUND
    assert find_sentence_end("Mr. Y", 2, start=2) == 4


def test_long_runs_are_judged_on_what_a_look_reaches() -> None:
    assert find_sentence_end("Hi" + "!" * 32 + " You", 2) == 35
    assert find_sentence_end("Hi" + "!" * 33 + " You", 2) == NOT_FOUND
    assert find_sentence_end("好" + "！" * 40 + "好", 1) == 33
    assert find_sentence_end("Hi!" + ")" * 16 + " You", 2) == 20
    assert find_sentence_end("Hi!" + ")" * 17 + " You", 2) == NOT_FOUND
    assert find_sentence_end("Hi!" + " " * 99 + "you", 2) == 67


WORDS = """
    . ! ? … 。 ！ ． । ؟ ‼️ ... ?! a B I x 5 12 好 é I'm No Dr etc e.g max Rep ca al am der zum ul г z U.S
    " ' ) ” 」 * ** | _ `` , 、 と : - > # — “ „ « » :) ;_; ._. 😊 🇩🇪 (｡◕‿◕｡) T_T
    ｡ ツ said Luna спросил 说 言った
    Mon U.S. EE. UU. XIV im 19 Mai Step Inc The т. д. 1. 2.
"""
PIECES = [
    *WORDS.split(),
    *[" ", "  ", "\n", "\t", "\u3000", "\u00a0", ". ", "? ", ". B. ", "\u0301", "\u200d", "\r\n", "\ud800"],
    *[" " * 63, " " * 66, "." * 33, "！" * 33, ")" * 17, "w" * 33, "7" * 31],
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@settings(max_examples=300)
@given(texts, st.booleans())
@example("x z. B. y", False)
@example("**a。**b", False)
@example("a." + "*" * 17 + " b", False)
def test_a_verdict_never_depends_on_how_much_more_has_arrived(text: str, stops_only: bool) -> None:
    for at in (at for at, char in enumerate(text) if char in ENDS):
        whole = find_sentence_end(text, at, stops_only=stops_only)
        for size in range(at + 1, len(text)):
            assert find_sentence_end(text[:size], at, stops_only=stops_only) in {NEED_MORE, whole}
        settled = find_sentence_end(text, at, final=True, stops_only=stops_only)
        assert settled == whole if whole != NEED_MORE else settled != NEED_MORE


@settings(max_examples=300)
@given(texts | st.text(), st.integers(0, 20))
def test_a_cut_lies_behind_its_mark_and_never_inside_of_a_character(text: str, start: int) -> None:
    for at in range(min(start, len(text)), len(text)):
        cut = find_sentence_end(text, at, start=start, final=True)
        assert cut == NOT_FOUND or at < cut <= min(len(text), at + 32 + 33 + 64 + 8 * (32 + 2 + 64))
        assert "\n" not in text[at:cut]
        assert is_boundary(text, cut)
        assert (cut and cut - start) == find_sentence_end(text[start:], at - start, final=True)


@settings(max_examples=200)
@given(texts, st.sampled_from(["", "w ", "**", "好。"]), texts)
def test_what_is_far_away_is_never_looked_at(text: str, filler: str, rest: str) -> None:
    whole = filler * 700 + text + "   " + rest
    for at in range(len(filler) * 700, len(filler) * 700 + len(text)):
        lower_bound = max(0, at - 640)
        near = find_sentence_end(whole[lower_bound : at + 1200], at - lower_bound)
        assert find_sentence_end(whole, at) == (near + lower_bound if near > 0 else near)


@given(texts | st.text())
def test_the_pieces_are_the_text(text: str) -> None:
    pieces = split_sentences(text)
    assert "".join(pieces) == text
    assert all(pieces)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It ends here.", True),
        ("here.", True),
        ("See Dr.", False),  # it may, but not for certain
        ("at 3.", False),
        ("I.", False),
        ("e.g.", False),
        (".", False),
        ("**bold**.", False),
        ("two\nlines.", False),
        ("Hauptstr.", False),
        ("NASA.", False),
    ],
)
def test_a_dot_behind_a_common_word_certainly_ends_its_sentence(text: str, plain: bool) -> None:
    at = len(text) - 1
    assert ends_plainly(text, at) is plain
    if plain:
        assert find_sentence_end(text, at, final=True) == len(text)

"""Which words shorten another, so that a dot behind them ends no sentence, or only sometimes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

__all__ = [
    "STARTERS",
    "WordSet",
    "goes_on_behind_clock",
    "goes_on_cried",
    "is_abbreviation",
    "is_initial",
    "is_known",
    "is_measure",
    "is_numeral",
    "is_plain",
    "numbers",
    "plain_end",
    "word_behind_space",
]


class WordSet:
    """A set of words that knows how each of them begins."""

    def __init__(self, words: str) -> None:
        self._words = frozenset(words.split())
        self._beginnings = frozenset(word[:size] for word in self._words for size in range(1, len(word) + 1))
        self.reach: Final = max(map(len, self._words)) + 1

    def __contains__(self, word: str) -> bool:
        return word in self._words

    def start(self, text: str, at: int, *, final: bool) -> bool | None:
        """Whether one of the words stands here, and no longer word; None to wait."""
        end, last = at, min(len(text), at + self.reach)
        while end < last and text[end].isalpha():
            end += 1
        word = text[at:end]
        if end == len(text) and not final and end < at + self.reach:
            return None if word in self._beginnings or not word else False
        return word in self._words


_ABBREVIATIONS = {
    # A title, or a word that always leads to another: never the end of a sentence.
    "always": """
        mr mrs mx messrs dr drs prof lt sgt capt cmdr cpl vs v e.g i.e eg ie cf viz approx incl excl aka
        ibid b.sc m.sc d.phil msgr pfc bzw evtl ggf bspw inkl exkl vgl zzgl
        abzgl sog sogen geb gegr gest dipl hrsg frl einschl entspr ggü bzgl betr bez jew urspr vermtl
        verh versch ugs stellv möglw schätzungsw zzt allg insb insbes mme mlle mmes mlles janv févr avr
        juil p.ex c.-à-d sra srta sres srs dra dras dres lic arq pág págs aprox ej avda gral dpto
        exmo exma profa sig sigg dott avv pagg geom bijv dhr mevr mw evt resp t.ex dvs f.eks pga tzn tzw
        tj mgr inż lek płk ppłk kpt ul św ks zob ust m.in np dz sp např tzv mudr judr phdr rndr mvdr
        odst örn doç sn mah cad sok bkz çev haz yy ör yrd uzm müh alb yzb bnb osm डॉ प्रो श्री ई.पू ดร
        ผศ รศ นพ κ ул вул просп пер пров наб бульв пл ср стр стор напр наз проф акад доц канд тов
        корп буд кв табл прим примеч ім див св сокр т.е т.к pl ود وأ لد p.s p.p.s з.ы
        p.d n.b dª dña sv κα κος engl frz griech ang niem łac hiszp англ греч франц итал
        urt beschl abschn rn rz buchst anl egr spett mons av bd sté ets cnel cel
        dt österr schweiz röm kath evang europ amerik staatl städt amtl wiss techn durchschn tägl wöchentl
        monatl jährl mtl zus gebr ggfs fg fbg pza plza gta ctra pbro cmdte sgto ilmo ilma jd pça ing mjr öğr
        alm пос ш assoc asst attn atty
    """,
    # The last word of a list, or of a name: the end, if a capital letter or nothing follows.
    "closing": """
        etc usw usf ff ecc itd itp enz osv mfl atd apod vb κλπ др пр т.д т.п и.т.д dgl u.a u.v.m с.ш н.э
        n.e p.n.e v.v blvd hwy rd hrs mins secs yrs yr lbs oz ft tbsp tsp sq cu cía hnos bros обл sqq
        wks doz pkg qty
    """,
    # The end only if a word follows that begins many sentences.
    "starter": """
        inc ltd corp jr sr esq dept univ assn natl intl govt mgmt min max std sek stk jh jhd jhdt mio
        mrd tsd mill str abt jg bsp stck tys mln mld plc ud uds vd vds şti a.ş t.c ee.uu им tp ts pgs gs
        ths tue tues thu thur thurs ltda éd éds coll trad bldg misc inst bp abp
    """,
    # Behind a number they measure, and end before a capital letter; else they lead to a name.
    "measure": "r w godz hz гр г гг в вв ст см руб коп грн тыс тис млн млрд мин сек ч чел шт экз км кг м с",
    # Ordinary words when they are not capitalised.
    "capital": """
        ms gen col maj rag rep sen gov hon pres adm rev fr st ste co mt ave hr str mm bd ing pvt supt insp sto
        sta abs abb anm aufl bde zi fa apt gör
    """,
    # Titles and the like when they are capitalised, unless a sentence begins behind them: `Ed. He left.`
    "title": """
        eng cap arch des cie soc coop ed eds edif urb fdo atte att exa mag cav comm cia
        réf ref dip depto
    """,
    # Names when they are in capitals.
    "lower": "ca al gm sk",
    # Days of the week, words when they are not capitalised or begin nothing.
    "day": "mon wed fri sat sun mo di mi do sa so çar paz",
    # Only before a number.
    "number": """
        no nos nr núm nº fig figs vol vols ch chap sect art p pp s c abs abb kap blz ext kl n num
        md рис cap capít lib ok ок pos lfd ziff bl gen ago set mag tab rys ryc par t д кв
        avg máx mín poz ap apto proc whg tabl eq sez böl şek mind
    """,
    # Only before a number or a small letter.
    "small": """
        ex env lun mer est es obs séc sec cfr pag esp int ext red al os pon pn wt op cit az ausg
        mié jue sáb sab sam gio ene fev abr giu lug ott dic lett cost qté vergr loc
        śr czw pt sob niedz sz пн вт чт пт сб вс янв фев февр апр авг сен сент окт ноя нояб дек dk sn
        pers мес jan feb apr jun jul aug sep sept oct nov dec okt dez mär por woj pow wew ur zm maks
        juill déc pén adj dir gén dép arr anc auj plur masc fém suppl prov apdo admón
        dcha izda izq cód pess wyd нач кон сер
        rozdz гл разд макс род ум мед физ хим техн лат нем кит рус изд вып ред зам зав тел
    """,
    # Leads to what was forgotten, unless a number stands before it: `150 PS`.
    "no number": "ps pd pps",
    # Days that are words too, unless a small word leads to them: `de seg. a sex. das 9h`.
    "led day": "seg ter qua qui sex mar jeu ven vie dim dom",
    # Behind a number they measure, and end before a capital letter; else they are words.
    "unit": """
        in gal qt pt pts pcs ct yd lit cda cdas cdta cdtas xíc col cucch łyż szkl yk çk pck päckch msp pr
    """,
    # Only before a number, however it begins: `Tel. (030) 1234`.
    "phone": "tel tél telef fax",
}
_OPENERS = frozenset('¿¡«“„"「')
_LEADS = frozenset("de a e às na até ou toda du au le al da dal il y et el los".split())  # noqa: SIM905
_NUMBERS = frozenset({"number", "small", "title"})
_ROMAN = re.compile("[IVXL]{1,8}")
_ARTICLE = re.compile(r"[LR]\.? ?\d")  # of a French code: `art. L. 121`
_HALF_ARTICLE = re.compile(r"[LR](?:\.? ?)?\Z")
_SEEN = 32
_WORD_LENGTH = 16
_WORD = re.compile(rf"\w{{1,{_WORD_LENGTH}}}")
_PHONE = frozenset("(+")
_BEHIND_NAMES = frozenset({"St", "Ave", "Co", "Mt"})  # `Main St.`, but `St. Louis`
_MINUTES = frozenset({"min", "max", "sek", "std"})  # `5 min. Puis`, but `5 Min. Fahrt`
_CLOCK = frozenset({"a.m", "p.m"})
# `at 5 p.m. Eastern`: what tells more about a time.
_BEHIND_CLOCK = frozenset(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Eastern Central Mountain Pacific Greenwich
    January February March April May June July August September October November December
    """.split()  # noqa: SIM905
)
# `J. Lo`, `M. Le Pen`: words that begin sentences, and names too.
_NAMES = frozenset("Ma Lo So Do An Si Le La Les El Los Las Da Di Der Den Das Des Will See No Na".split())  # noqa: SIM905
_ELISION = re.compile("[CJS]['’]|Qu['’]")  # `av. J.-C. C'est`
_CRIED = frozenset({"Yahoo", "Kahoot", "Joomla", "Yum", "Wham"})  # `Yahoo! Mail`
_IN_MIND = frozenset("in never my your her his don't mind of".split())  # noqa: SIM905
_HALVES = frozenset(
    {("p.", "ex"), ("m.", "in"), ("c.", "civ"), ("c.", "pén"), ("c.", "trav")}
)  # `p. ex.`, `m. in.`, `C. civ.`
_MANY = frozenset("кв млн тыс млрд тис mln tys mld х е".split())  # noqa: SIM905 - `5 тыс. руб.`, `1990-х гг.`
_BEHIND_TITLES = frozenset(
    {
        "med",
        "phil",
        "jur",
        "rer",
        "nat",
        "habil",
        "hab",
        "pol",
        "theol",
        "mult",
        "vet",
        "dent",
        "oec",
        "em",
        "apl",
    }
)  # `Dr. med.`
_KINDS = {word: kind for kind, words in reversed(_ABBREVIATIONS.items()) for word in words.split()}

STARTERS = WordSet(
    """
    The This That These Those It He She We They You I A An And But So Or If When Then There Here
    What Why How Who Where My His Her Our Their Your Its In On At For With After Before Not No Yes
    Please Also However Now Let Bye Thanks Maybe Well Oh See Do Did Is Are Was Can Could Would Will
    Just As By To From Der Die Das Den Dem Ein Eine Es Er Sie Wir Ich Du Ihr Und Aber Doch Dann
    Danach Da Wenn Was Wie Wo Warum Im Am Auf Mit Nach Bei Zum Zur Mein Dein Sein Unser Ist Hat Ja
    Nein Also Dort Hier Jetzt Heute Morgen Gestern Nun Le La Les Un Une Il Elle Nous Vous On Je Tu
    Et Mais Ce Cette Ces Dans Avec Pour Puis Alors Oui Non Si Quand El Los Las Una Es Y Pero Yo Tú
    Él Ella Nosotros Con Cuando Qué Sí Luego Después Ahora Como Por Para Lo Gli Uno Ma Poi Io Lui
    Lei Noi Voi Loro Quando Che Come Sono Ora Allora Nel Con O Os As Um Uma E Mas Eu Ele Ela Eles
    Elas Nós Depois Agora Então Não Sim No Na Em Com Он Она Они Оно Мы Вы Я Ты Это Этот Эта Эти Но И
    А В На С У К О По За Из От До Для Без При После Через Что Как Где Кто Если Когда Потом Затем
    Поэтому Потому Пусть Только Ещё Уже Теперь Сейчас Сегодня Завтра Вот Тут Здесь Тогда Хотя Может
    Можно Надо Нужно Был Была Было Были Не Ну Всё Его Её Их Мой Моя Наш Твой Да Нет Так Там Він Вона
    Вони Це Ми Але Та Як Що У To Ten Ta Nie Tak Ale Ja Ty On Ona Oni W Na Z Po Potem Potrzeba Gdy
    Kiedy Jak Co Czy Jest Bu Şu O Ben Sen Biz Siz Onlar Ama Ve Sonra Çünkü Evet Hayır Ne Bir Her
    É È Su Sus Mi Está Hay Era Fue Este Esta
    Seu Sua Há Isso Questo Questa Dopo Notre Votre Leur Après Ensuite Voilà Many Most Some Any Each Every
    Only Good Great Nice Thank Sorry Okay Ok Dies Diese Dieser Dieses Man Für Über Bis Seit Sogar Nur Noch
    Auch Bitte Danke Viel Viele Alle Herkes Hepsi Şimdi Bugün Orada Burada All Tous
    Toutes Todos Todas Tutti Tutte Wszystkie Wszelkie Все Tüm
    """
)
"""Words that begin a sentence far more often than they follow an abbreviation."""


def is_known(word: str) -> bool:
    """Whether a word, in any case, may be an abbreviation."""
    return _small(word) in _KINDS


def _small(word: str) -> str:
    """Small letters; Python's `İ` becomes two characters."""
    return word.lower().replace("i̇", "i")


def is_plain(word: str) -> bool:
    """Whether a word of small letters is never shortened by a dot and never counts, whatever is around it."""
    if len(word) < 4 or not (word.isalpha() and word.islower()) or word in _KINDS:
        return False
    return word not in _BEHIND_TITLES and word.strip("ivxlcdm") != ""


# A mark, a space and a capital that begins no smiley: most sentences end so.
_BEFORE_SENTENCE = re.compile(
    r"(?:\.(?:\.\.)?|[!?]) (?=[ACE-MPRSWYZ]|[A-Z][a-ce-ux-z]|([A-Z])[vw](?!(?i:\1))[a-z])"
)


def plain_end(text: str, at: int, start: int) -> int:
    """The cut before such a capital, if the word before the mark says that it ends; else 0."""
    sentence = _BEFORE_SENTENCE.match(text, at)
    if sentence is None:
        return 0
    word = word_behind_space(text, at, start)
    ends = is_plain(word) if sentence[0] == ". " else word.isalpha() and word.islower()
    return sentence.end() if ends else 0


def word_behind_space(text: str, at: int, start: int) -> str:
    """The word before a mark, if a space is in sight before it."""
    _, space, word = text[max(start, at - _SEEN) : at].rpartition(" ")
    return word if space else ""


def is_measure(word: str) -> bool:
    """Whether a word measures, behind a number."""
    return _KINDS.get(word.lower()) == "measure"


def is_numeral(word: str, before: str) -> bool:
    """Whether a word is the roman number of what stands before it, as in `vol. II`."""
    leads = before.endswith(".") and numbers(before[:-1])
    return leads and word != "L" and _ROMAN.fullmatch(word) is not None


def numbers(word: str) -> bool:
    """Whether a number follows a word and its dot, as in `no. 1` and `p. 1`, not in `Ok. 1. Breathe`."""
    return _KINDS.get(word.lower()) in _NUMBERS and word not in {"Ok", "OK"}


def is_abbreviation(word: str, before: str, text: str, cut: int, *, final: bool) -> bool | None:
    """Whether the dot behind a word shortens it, by what stands before it and at `cut`; None to wait."""
    kind = _KINDS.get(_small(word)) or _guess_kind(word, before)
    if (before.lower(), word) in _HALVES:
        return True
    if word.lower() in _CLOCK and before[-1:].isdigit():
        return goes_on_behind_clock(text, cut, final=final)
    if _may_end(word, kind, before, text[cut : cut + 1]):
        return _unless_started(text, cut, final=final)
    if kind in _NUMBERS and text[cut : cut + 1] in "IVXLR":
        return _before_roman(text, cut, final=final)
    judge = _JUDGES.get(kind)
    return judge(word, before, text[cut : cut + 1]) if judge else kind == "always"


def _may_end(word: str, kind: str, before: str, after: str) -> bool:
    """Whether a sentence may end with an abbreviation, if the next one begins with a common word."""
    if kind == "starter":
        return not (word in _MINUTES and _is_number(before) and after.isupper())
    if kind == "always":
        return word.isalpha() and word.isupper() and len(word) > 1  # `the SIG. It`, but `MR. SMITH`
    if kind == "title" or word == "Ft":
        return word.istitle()
    return word in _BEHIND_NAMES and (before[:1].isupper() or before[:1].isdigit())


def goes_on_behind_clock(text: str, cut: int, *, final: bool) -> bool | None:
    """Whether a sentence goes on behind `5 p.m.`: with a small letter, a zone, or a day; None to wait."""
    after = text[cut : cut + 1]
    if not after.isupper():
        return after not in _OPENERS
    word = _WORD.match(text, cut)[0]  # type: ignore[index]
    if cut + len(word) == len(text) and not final and len(word) < _WORD_LENGTH:
        return None
    return word in _BEHIND_CLOCK or (word.isupper() and len(word) > 1)


def is_initial(text: str, cut: int, *, final: bool) -> bool | None:
    """Whether a name goes on behind a capital letter and its dot, and no sentence begins; None to wait."""
    if _ELISION.match(text, cut):
        return False
    started = STARTERS.start(text, cut, final=final)
    if not started:
        return None if started is None else True
    word = _WORD.match(text, cut)[0]  # type: ignore[index]
    return word in _NAMES or text[cut + len(word) : cut + len(word) + 1] == "."


def goes_on_cried(word: str, text: str, cut: int, *, final: bool) -> bool | None:
    """Whether a name that ends with a cry goes on: `Yahoo! Mail`; None to wait."""
    if word not in _CRIED:
        return False
    started = STARTERS.start(text, cut, final=final)
    return None if started is None else not started


def _guess_kind(word: str, before: str) -> str:
    """The kind of a word that no list has."""
    if word in _BEHIND_TITLES and (before.endswith(".") or before.lower() == "dr"):
        return "always"
    street = word[:1].isupper() and word.endswith(("str", "pl"))
    return "starter" if street or _is_dotted(word) else ""


_JUDGES: dict[str, Callable[[str, str, str], bool]] = {
    "closing": lambda word, before, after: (
        not (after.isupper() or after in _OPENERS) or (word == "пр" and before != "и")  # `на пр. Мира`
    ),
    "measure": lambda _word, before, after: not (after.isupper() and _is_amount(before)),
    "capital": lambda word, _before, after: word[0].isupper() or after.isdigit(),
    "title": lambda _word, _before, after: after.isdigit() or after.islower(),
    "lower": lambda word, _before, _after: not word.isupper(),
    "day": lambda word, _before, after: word.istitle() and (after.islower() or after.isdigit()),
    "led day": lambda word, before, after: (
        (word.istitle() or before.lower() in _LEADS) and (after.islower() or after.isdigit())
    ),
    "number": lambda word, before, after: (
        after.isdigit() and not (word == "mind" and before.lower() in _IN_MIND)  # but `mind. 2 Tage`
    ),
    "no number": lambda word, before, after: word.isupper() and not _is_number(before) and after.isalpha(),
    "small": lambda _word, _before, after: after.isdigit() or after.islower(),
    "starter": lambda _word, _before, _after: False,
    "unit": lambda word, before, after: (
        _is_number(before) and (after.islower() or after.isdigit() or (word.istitle() and after.isupper()))
    ),
    "phone": lambda _word, _before, after: after.isdigit() or after in _PHONE,
}


def _is_number(word: str) -> bool:
    return word[-1:].isdigit() or _ROMAN.fullmatch(word) is not None


def _is_amount(word: str) -> bool:
    return _is_number(word) or word.rstrip(".") in _MANY


def _before_roman(text: str, cut: int, *, final: bool) -> bool | None:
    """Whether a roman number follows, as in `s. XX`; a lone `I` or `L` is a word, or a name."""
    if _ARTICLE.match(text, cut):
        return True
    if not final and _HALF_ARTICLE.match(text, cut):
        return None
    number = _ROMAN.match(text, cut)
    end = number.end() if number else cut
    if end == len(text) and not final:
        return None
    return end > cut and text[cut:end] not in {"I", "L"} and not text[end : end + 1].isalpha()


def _is_dotted(word: str) -> bool:
    """`U.S`, `z.B`, `Ph.D`: short parts with dots between them."""
    parts = word.split(".")
    if len(parts) < 2 or min(map(len, parts)) > 1 or not all(map(str.isalpha, parts)):
        return False
    return all(len(part) < 3 or (len(part) == 3 and part.istitle()) for part in parts)  # `D.Lgs`


def _unless_started(text: str, cut: int, *, final: bool) -> bool | None:
    """An abbreviation, unless what follows begins a sentence, a question, or speech."""
    if text[cut : cut + 1] in _OPENERS or _ELISION.match(text, cut):
        return False
    started = STARTERS.start(text, cut, final=final)
    initial = text[cut + 1 : cut + 2] == "."  # `им. А. С. Пушкина`
    return None if started is None else initial or not started

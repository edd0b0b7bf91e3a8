"""Rule 7: a line that begins with another speaker's label ends the answer.

`known` looks for the names of the conversation and the three that every model knows. `any` looks for other
names too: one to four words that each begin with a capital and are no ordinary words (`Note`, `Step`).
`label` takes whatever looks like a label: up to 64 characters with a letter among them, and a colon. Code,
URLs, times, list items and headings are never labels.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import TYPE_CHECKING

from ..._settings import STOP_CAP
from ..markup.line_kinds import Line, read_line

if TYPE_CHECKING:
    from ..._settings import Normalizing
    from ..reading import Reading

__all__ = ["ORDINARY_WORDS", "Guard", "find_foreign_line", "stop_strings"]

RESERVED = ("Assistant", "User", "System")

_LINE = re.compile(r"(?:^|(?<=\n))[ \t]*(?=[^\s:：])")
_MODIFIER = re.compile(r"[ \t]?[(（][^()（）]*[)）]\Z")
_LETTER = re.compile(r"[^\W\d_]")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
_EXEMPT = frozenset({Line.ITEM, Line.HEADING, Line.FENCE})
_NAME_WORD = re.compile(r"[^\W\d_][\w'’\-]*")
_NAME_WORDS = 4
_AMOUNT = re.compile(r"[ \t*_]*[0-9$€£¥₹~+]")
_CUTTABLE = frozenset('(（"「『“„«‹')


class Guard:
    """Whose labels are foreign."""

    def __init__(self, settings: Normalizing) -> None:
        self.mode = settings.speaker_guard
        self._names = frozenset(_key(name) for name in foreign_names(settings))
        length = settings.speaker_label_length
        self.label = re.compile(rf"([^\n:：]{{1,{length}}}?)[ \t*_]*[:：](?!//|[:：])")

    def is_foreign(self, label: str) -> bool:
        """Whether a label is one of somebody else."""
        if self.mode == "label":
            return bool(_LETTER.search(label)) and label[0] not in "[<"
        return self.is_known(label) or (self.mode == "any" and is_name(speaker_of(label)))

    def is_known(self, label: str) -> bool:
        """Whether a label is a name of the conversation, or one of those that every model knows."""
        bare = label.strip(" \t*_")
        return _key(bare) in self._names or _key(_MODIFIER.sub("", bare)) in self._names


def speaker_of(label: str) -> str:
    """Who a label names: without its markers and without the mood in parentheses."""
    return _MODIFIER.sub("", label.strip(" \t*_"))


def is_name(words: str) -> bool:
    """Whether words look like a name: each begins with a capital, and none is an ordinary word.

    A script without capitals says nothing about names.
    """
    parts = _INVISIBLE.sub("", words).split()
    return 0 < len(parts) <= _NAME_WORDS and all(
        _NAME_WORD.fullmatch(part) and part[0].isupper() and part.lower() not in ORDINARY_WORDS
        for part in parts
    )


def foreign_names(settings: Normalizing) -> list[str]:
    """Every registered name but those of the persona that speaks, in order."""
    own = settings.persona
    ours = {_key(name) for name in (own.name, *own.aliases)} if own else set()
    others = [name for persona in settings.personas for name in (persona.name, *persona.aliases)]
    people = [name for person in settings.people for name in (person.handle, *person.names)]
    names = dict.fromkeys(name.strip() for name in (*others, *people, *RESERVED))
    return [name for name in names if name and _key(name) not in ours]


def stop_strings(settings: Normalizing) -> tuple[str, ...]:
    """What a provider is told to stop at (`Options(stop=...)`): the settings' own, then the guard's labels.

    There is room for forty. Labels beyond that are not lost, since the guard itself knows them all.
    """
    names = () if settings.speaker_guard == "off" else foreign_names(settings)
    labels = (f"\n{name}:" for name in names if len(name) <= settings.speaker_label_length)
    return tuple(islice(dict.fromkeys((*settings.stop_strings, *labels)), STOP_CAP))


def find_foreign_line(reading: Reading, guard: Guard, *, from_start: bool) -> tuple[int, str] | None:
    """Where another speaker's line starts, and who that is; the first line counts only if told so."""
    text = reading.text
    for line in _LINE.finditer(text):
        if not line.start() and not from_start:
            continue
        label = guard.label.match(text, line.end())
        if label is None or not guard.is_foreign(label[1]):
            continue
        kind, _ = read_line(text, line.start(), final=True) or (Line.PROSE, 0)
        is_time = text[label.end() - 2].isdigit() and text[label.end() : label.end() + 1].isdigit()
        is_amount = guard.mode == "any" and not guard.is_known(label[1]) and _AMOUNT.match(text, label.end())
        if kind in _EXEMPT or is_time or is_amount:
            continue
        if _may_end(reading, line.end(), label.end()):
            return line.start(), speaker_of(label[1])
    return None


def _may_end(reading: Reading, start: int, colon: int) -> bool:
    """Not in code, a URL or a tag, and not where a span would be left half open."""
    if not reading.free(start) or not reading.free(colon - 1):
        return False
    return all(span.mark in _CUTTABLE or not span.start < start < span.end for span in reading.spans)


def _key(name: str) -> str:
    """A name as people read it: without its case, its width, and what cannot be seen."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name))
    return " ".join(visible.casefold().split())


_WORDS = """
abend about abril abschnitt abstract achtung action actions activities activity additional además
advantage advantages advertencia advice adım afternoon age agenda agosto all alternative alternatives
always amaç amount analogy analysis and anmerkung announcement answer answers antwort antworten anzahl
août appendix approach april aprile argument arguments artist assumption assumptions astuce astuces
attention aufgabe aufgaben august author authors autumn avantages avantajlar avertissement aviso avril
açıklama background bad basic basics başlık because bedeutung beispiel beispiele benefit benefits best
better big book books both bottom brand breakfast bref budget bug bugs build bullet but bölüm calculation
calories cantidad capítulo categories category cause causes caution cel cena cevap challenge challenges
chapitre chapter character characters check checklist choice choices class classes code color colors
colour colours command commands comment comments comparison complexity concept concepts conclusion
conclusione conclusions conclusión conclusão condition conditions configuration cons conseil conseils
consejo consejos consideration considerations consigli consiglio contact contents context contribution
conversation correct correction cost costs country course criteria criticism cuma cumartesi czas czwartek
część danach dann data date datum dauer day days deadline debug december decision default definición
definicja definition definitions definição demo dependencies description desert design dessert
desvantagens desventajas detail details dezavantajlar dezember dezembro diagnosis dica dicas dicembre
diciembre dienstag diet difference differences difficulty dikkat dimanche dinner direction directions
director disadvantage disadvantages disclaimer discussion distance documentation domanda domande domenica
domingo donnerstag download downside drawback drawbacks drink drinks due duración duration duração durée
décembre définition each early easy edit education effect effects eighth eins ejemplo ejemplos email
ending enero enfin english enjoy ensuite environment epilogue equation ergebnis ergebnisse erklärung error
errors esempi esempio evening event events every everything evidence exactly example examples exception
exceptions exemple exemples exemplo exemplos exercise exercises expected experience explanation
explicación explication explicação extra fact facts faq farbe fast favorite favourite fazit feature
features febbraio febrero februar february fecha feedback fevereiro fifth figure file files final finally
finalmente first fix fixes fiyat flavor focus folge follow food footnote for format formula fourth frage
fragen free freitag french friday from fun function functions further future février game games general
gennaio genre german getting gewicht giovedì giugno given goal goals good grade grammar great greeting
grund größe gründe guess guide guideline guidelines half happy hard hardware have hazırlanışı headline
headquarters health height help her here hers heure hint hints hinweis hinweise his history hobbies hobby
home homework hora hour hours how however https höhe idea ideas if ilość image impact implementation
important importante impression improvement improvements in inci inconvénients ingredient ingredientes
ingredienti ingredients ingrédients initial input inputs inspiration installation instruction instructions
interpretation introduction ipucu ironically issue issues it italian item items its janeiro januar january
janvier japanese jeudi job jueves juillet juin julho juli julio july june junho juni junio just kapitel
keep key keys keyword keywords kind konu kosten krok kroki kurz label language languages last late later
latin least legend length lesson lessons let level lieu limit limitation limitations line link links list
lists local location long look lugar luglio lunch lundi lunedì lunes luogo lyrics lösung lösungen maggio
mai main maintenance maio malzemeler march mardi mars martedì martes marzo março materials math maximum
may maybe mayo meaning meanings measurement meeting memory menge mercoledì mercredi message messages
method methodology methods mid midday middle miejsce minimum minute minutes mission mistake mistakes
mittag mittwoch miércoles model moderate modern monday montag month months mood moral more morgen morning
most motivation movie movies music märz nacht nachteile name names near neden need needs never new news
next nickname niedziela night ninth no none noon normal not nota notas note notes nothing november
novembre novembro noviembre now number numbers nutrition obiettivo objectif objectifs objective objectives
objetivo observation observations occupation october octobre octubre odpowiedź of offer okay oktober old
on once one ones only opening opinion opposite option optional options or ora order origin original ort
other others ottobre our outcome outline output outputs outubro overall overview page pages paragraph
parameters part parte partie parts paso pasos passaggi passaggio passo passos past pattern patterns
payment pazar pazartesi people performance pergunta perguntas perhaps period permissions personality
perspective perşembe peso phase phone phrase phrases piątek place plan plans platform platforms please
plot plus podsumowanie poem poids point points poniedziałek position possibility possible post powód
practical practice precio prediction pregunta preguntas preis preparación preparation preparazione preparo
prerequisites prezzo preço price prices primero prix pro problem problema problems problème procedure
process product products profession project prologue prompt pronunciation proof properties property pros
protip proverb przygotowanie przykład przykłady préparation ps purpose pytanie quantidade quantity
quantité quarta quelle quellen question questions quick quinta quotation quote quotes raison raisons range
rating ratio razones razão razón reason reasons recap recipe recipes recommendation recommendations
reference references reflection regel regeln region regla reglas regra related release remark remarks
remarque remember reminder reply request required requirement requirements resource resources response
responses resposta respostas respuesta respuestas result resultado results resumen resumo return returns
review reviews riassunto risk risks risposta risposte risultato role rozdział rozwiązanie rule rules règle
règles réponse réponses résultat résumé saat sabato salı same samedi sample samples samstag saturday
scenario scene schedule schließlich school schritt schritte scope score script season second seconds
section sections security see segunda segundo sentence sentences september septembre septiembre series
serves serving servings setembro settembre setting settings setup seventh several sexta she shopping short
shortcut side sign signature significance similarities simple since situation sixth size skill skills
składniki small sobota software solución solution solutions soluzione solução some something song songs
sonntag sonuç soon soru sound source sources spanish special speed spelling spiegazione spoiler spoilers
stage stages start state statement statistics status step steps still story strategy strengths structure
style subject suggestion suggestions sujet summary sunday support sure surprise svantaggi symptom symptoms
synonym synonyms syntax system sábado table tag tags taille takeaway takeaways tamanho tamaño tanım target
tarih task tasks taste team technique techniques technologies technology teil tema temat temperature
template tenth tercero term terms terça test tests text thanks that the thema theme themen themes then
theory there therefore these thesis they thing things think third this those thought thoughts thursday
time timeline times tip tipp tipps tips titel title titolo titre to today todo together tomorrow tonight
tool tools top topic topics total tradition traducción traduction tradução training translation trick
tricks trivia troubleshooting true tuesday tune twist two type types tytuł título tłumaczenie uncensored
under understanding unit units until update updates upside url ursache usage use user users usually uwaga
value values vantagens vantaggi variables variant variante variation variations vendredi venerdì ventajas
verdict verse version versions video viernes view vision visual vocabulary volume vorsicht vorteile wady
wait warning warnings warnung way ways ważne we weakness weaknesses weather website wednesday week weekend
weeks weight welcome well what when where which while who whole why wichtig wind wisdom with without
wniosek word words work workaround workout world worst write writer wskazówka wskazówki wtorek wyjaśnienie
wynik year years yer yes yesterday yet you your zalety zeit ziel ziele zone zubereitung zuerst
zusammenfassung zutaten zwei çarşamba çeviri çözüm étape étapes önemli örnek özet übersetzung übrigens
übung środa август апрель важно вес внимание вопрос вопросы воскресенье время вторник вывод глава дата
декабрь ингредиенты итог итоги июль июнь количество май март место минусы ноябрь объяснение октябрь
определение ответ ответы перевод плюсы понедельник правило приготовление пример примеры примечание причина
проблема пятница размер результат решение сентябрь совет советы среда суббота тема февраль цель цена часть
четверг шаг шаги январь
"""
ORDINARY_WORDS = frozenset(_WORDS.split()) | {"fyi", "q", "a", "tldr"}

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
from .labels import NO_FACE

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
        self.label = re.compile(rf"([^\n:：]{{1,{length}}}?)[ \t*_]*[:：](?!//|[:：]){NO_FACE}")

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
abend about abril abschließend abschluss abschnitt abstract acceptance achtung action actions actividad
activities activity addition additional address además adres adresse advantage advantages advertencia advice
adım affected afternoon age agenda agosto ahora akapit aktion akış alan all allergies allora alors
alternatif alternativ alternative alternativen alternatives alternatywa altezza always amaç amaçlar ambience
ambiente amostra amount analisi analiz analiza analogia analogy analyse analysis and anfang angabe angaben
animais anlam anlamı anleitung anmerkung annahme anno announcement années ano ansatz answer answers antwort
antworten anwendung anzahl análise análisis août aplicación aplicação appendix applicazione approach
approximately april aprile araç araçlar architektur area argomento argument argumentation argumente
argumento argumentos arguments argumenty argüman artist artılar aspect aspects assessment assumption
assumptions astuce astuces atenção atividade atmosfera atmosphere atouts attention attenzione attività atual
aufbau aufgabe aufgaben aufwand august ausblick ausgabe ausnahme aussi aussprache auteur author authors
autor autore autumn außerdem availability avaliação avantage avantages avantaj avantajlar avertissement avis
aviso avoid avril avviso ayrıca ayrıntı ayrıntılar ayuda açıklama año aşama aşamalar background bad bakış
base basi basic basics bağlam başlangıç başlık because beceri bedeutung bedingung beispiel beispiele
beklenti belirti belirtiler bemerkung benefici beneficio beneficios benefit benefits benefício benefícios
benzetme bereich beschreibung best bestellung betreff better bewertung beziehung big bilans bilanz bilgi
bilgiler bitiş bonus book books both botschaft bottom boyut brand breakdown breakfast bref bring budget
budżet bug bugs bugün build bullet buono but ból bölüm bütçe błąd błędy cadre calcolo calcul calculation
calidad call calorias calories cantidad canzone caption capítulo característica características
caratteristica caratteristiche cas caso casos categories category categoría catégorie causa causas cause
causes caution caveat caveats cel cena cenário cevap cevaplar challenge challenges chapitre chapter
character characters charakter check checklist chiave choice choices chorus cidade ciekawostka cita citation
citação città ciudad class classes clave cleanup clima climat climax closer closing co code codice color
colore colors colour colours combine come comida command commande commands comment commentaire commento
comments como comparação compare comparison compito complexity components comprimento compte conceito
concept concepts conclusion conclusione conclusiones conclusioni conclusions conclusión conclusão conclusões
condiciones condición condition conditions condizione condição configuration cons consecuencia consecuencias
conseil conseils consejo consejos consequência consideration considerations considered consigli consiglio
conséquence conséquences contact contenido contents contenu contenuto contesto context contexte contexto
conteúdo contra contraire contras contre contribution contro conversation cook cooking cor core corrección
correct correction correzione correção cosa cost coste costo costs cottura couleur counterpoint country
course coût credits criteria criticism cualidades cuando cucina cuidado cuisson culinária culture cuma
cumartesi currency custo cytat czas czwartek czynność czytanie część cálculo código cómo cümle dado dados
dakika danach dane danger danie dann data date dates dati dato datos datum dauer day days deadline
debilidades debug december decision default definición definicja definicje definition definitions
definizione definição deliverables demnach demo demographics deneyim dependencies desafio desafios
descripción description descrizione descrição desenlace deser desert desfecho design dessert destino
desvantagem desvantagens desventaja desventajas detail details detalhe detalhes detalle detalles detay
detaylar dettagli deutsch dezavantaj dezavantajlar dezember dezembro değer değerlendirme dia diagnose
diagnosis dialog dialogo dialogue dica dicas dicembre diciembre dienstag diet diferencia diferencias
diferença diferenças difetti difference differences differenza differenze difficoltà difficulty difficulté
difficultés différence différences dificuldade dificultad dikkat dil dimanche dinner dipnot dirección
direction directions director direção disadvantage disadvantages disclaimer discussion distance diyalog
diyet diálogo dlaczego dlatego documentation dodatek dodatkowo domanda domande domani domenica domingo donc
donnerstag dosage download downside dowód doğru draft drawback drawbacks drink drinks drittens duda due
duración durata duration duração durum durée duygu działanie dzień décembre définition día dónde düşünce
each early easy edebiyat edit education efecto efeito efekt efekty effect effects effetto effort
eigenschaften eighth einfach einkaufsliste einleitung eins einsatz ejemplo ejemplos ejercicio ek ekler
eksiler element elenco email emoción empfehlung empfehlungen encore ende endereço ending enero enfin enfoque
englisch english enjoy enlace enredo ensaio ensuite entrada environment epilogue equation era erfahrung
ergebnis ergebnisse erklärung erreur erreurs erro error errore errores errori errors erros erste erstens
escale escena escola esempi esempio esercizi esercizio español esperienza espressione esprit espécie
essentiel estado estilo estimate estrategia estratégia estructura estrutura etap etapa etapas etapy etki
etkiler etkinlik etwas età evening event eventi evento events every everything evidence exactly example
examples excepción exception exceptions exceção execution exemple exemples exemplo exemplos exercice
exercise exercises exercício exercícios expected expenses experience explanation explicación explication
explicação expresión expression expressão extra fabuła fact facts faiblesses faits fakt fakten fakty fall
faq farbe fase fast fato fatos fatti fatto favorite favourite faza fazit feature features febbraio febrero
februar february fecha fee feedback fees fehler fevereiro fifth figura figure fikir fikirler file files fill
filling film filme fim fin final finalidad finally finalmente fine first fix fixes fiyat flavor flow foco
focus folge folgen follow fonksiyon fonte fontes fonti food footnote for forces form forma format formato
formatting formula formule formuła formül fortalezas fortsetzung forza fourth frage fragen français frase
frecuencia free freitag french frequency friday from fréquence fuente fuentes fun función function functions
funkcja funktion funzione função further future février fórmula game games garnish gatunek gedanke gefahr
geld gelecek general genere gennaio genre gereksinimler gerekçe german gerçek gesamt geschichte gesundheit
getting gewicht geçmiş giorno giovedì giriş gist giudizio giugno given goal goals godzina good gotowanie
grade grading grado grammaire grammar gramática grau great greeting grund grup grupa grupo gruppo größe
gründe guess guide guideline guidelines género gênero görev görevler gün güncelleme günler half happy hard
hardware hashtag hashtags hasło hata hatalar hatırlatma hauptgericht hava have hazırlanışı hazırlık heading
headline headquarters health hecho hechos hedef hedefler height help her here herkunft herramientas hers
heure heute highlight highlights hikaye hikâye hilfe hint hintergrund hints hinweis hinweise his histoire
historia history história hobbies hobby home homework hook hora horario horário hour hours how however https
humeur humor hypothesis hypothèse hábito häufigkeit höhe icon idea ideas idee ideen ideia ideias idioma idée
idées if ilk ilke ilości ilość image imagen imię impact impacto impatto implementation implication
implications important importante importanza importância impression improvement improvements imza in inci
inconvénient inconvénients indice indirizzo info información informacja informacje information informations
informazioni informação informações ingredient ingrediente ingredientes ingredienti ingredients ingrédient
ingrédients inhalt inicio initial inizio input inputs insight insights inspiracja inspiration installation
instead instrucciones instruction instructions instrukcja instruções interpretation intro introducción
introduction introduzione introdução intérêt início ipucu ironically isim issue issues istisna istruzioni it
italian italiano item items itens its işlem işlev jahr jak jakość janeiro januar january janvier japanese
jednostka jeudi job jour journal jueves juillet juin julho juli julio july june junho juni junio just język
kahvaltı kalite kanıt kapitel karakter karakterler karşılaştırma kategori kategoria kategorie kaynak
kaynaklar keep kelime kelimeler kernaussage key keys keyword keywords kind kitap klucz kod kolacja kolejność
kolor komentarz koniec kontekst kontext konto kontra konu konum korzyści kosten koszt koşul koşullar kraj
krok kroki kryteria krótko książka kto kullanım kural kurallar kurz kurzfassung kurzform kısaca label
landmarks language languages langue last late later latin lavoro layout least lebensmittel lección lecture
legend leistung lektion lembrete length lengua lernziel lesson lessons let letra lettera level lezione libro
liczba lied lien lieu lifespan limit limitation limitations limite limites limiti line lingua linguagem
linie link links list lista liste lists livello livro lição llegada lluvia local location logic logika long
look loss lugar luglio lunch lundi lunedì lunes luoghi luogo lyrics länge límite lösung lösungen maggio mai
main maintenance maio mais malzeme malzemeler manhã mantra mantık march mardi marinade mars martedì martes
marzo março material materiale materiales materials materiał materiały math matin mattina matériel maximum
may maybe mayo maßnahmen mañana meaning meanings measurement medida meeting meglio meinung mejor melhor
memory menge mensagem mensaje menu mercoledì mercredi merge merke merkmale merksatz mesaj message messages
messaggio mesure meta method methode methodology methods metin metoda metodi metodo metody metrics mevsim
miasto mid midday middle miejsce miktar milestone milestones mindset minimum minusy minute minutes misión
misja mission missione missão mistake mistakes misura mitbringen mittag mittel mittwoch mix miércoles model
moderate modern modo module monday montag month months mood moral morale moraleja morał more morgen morning
most mot motif motivation motivi motivo mots motto movie movies music musica musik musique muzyka myth myśl
märz méthode método météo mês música müzik nachricht nachspeise nacht nachteil nachteile nachtisch nagłówek
najważniejsze name names nastrój następnie nature nauka nazwa nazwisko near nebenbei neden nedenler need
needed needs nereye neu never new news next nickname niedziela night ninth niveau nivel no noche noite nokta
nom nombre nome none noon normal not nota notas notatka notatki note notes nothing notiz notizen notizia
notlar november novembre novembro noviembre now numara number numbers numer numero nummer numéro nutrition
nutzen nährwerte nível número obiad obiettivi obiettivo objectif objectifs objection objective objectives
objet objetivo objeto obliczenia obraz observaciones observación observation observations observação
observações ocasião ocasión occasion occupation ocena october octobre octubre oder odmiana odpowiedzi
odpowiedź of offer oggetto oggi ogólnie okay oktober olasılık olaylar old on once one ones online only
opciones opción opcja opcje opener opening operation opinia opinion opinione opinions opinião opinión opis
opposite option optional optionen options opzione opzioni opção opções or ora oran ordem orden order ordine
ordnung origem origen origin original origine ort ortam osoba osoby osservazione osservazioni other others
ottobre ou our outcome outil outils outline output outputs outro outubro overall overview pace packaging
paese page pages pagina pairing palabra palabras palavra palavras pamiętaj papel paragraph parameters
parfois parking parola parole part parte partenza partie parts paso pasos passaggi passaggio passcode passo
passos password past pattern patterns payment pays pazar pazartesi país peccato people perché performance
pergunta perguntas perhaps pericolo period periodo permission permissions person personagem personagens
personaggi personaggio personaje personajes personality personen personnage personnages perspective perşembe
peso pessoa phase phone phrase phrases piano piatto pick pierwsze piosenka piątek place plan planning plano
plans planung plat platform platforms plato players please plot plus plusy población poczta początek
podpowiedź podróż podstawa podsumowanie poem pogoda poi poids point points pojęcie pomoc pomysł pomysły
poniedziałek ponto pontos population porada porady porciones porcje porque porsiyon portionen portions
porzioni porção porównanie position posizione possibility possibilità possible post postre potem potential
potrawa pour pourquoi powód poziom pośpiech practical practice pranzo prato pratos prawda prazo preamble
precaution precio prediction pregunta preguntas preheat preis premise preparación preparation preparazione
preparo prerequisites presentazione presupuesto preuve preview prezzi prezzo preço price prices primero
principe principio principle princípio prinzip prioridad prioridade priority prix pro probability problem
problema problemas probleme problemi problems problemy problème problèmes procedure proces proceso process
processo prochain prodotto product producto products produkt produto profesión profession profile profissão
progetto programme progress proje project projekt projeto prologue prompt prononciation pronouns pronuncia
pronunciación pronunciation pronúncia proof properties property proposta propósito pros prossimo protein
protip prova proverb proyecto pruebas przepis przesłanie przyczyna przyczyny przygotowanie przykład
przykłady przypis przypomnienie précision prénom préparation prêmio prós prüfung ps puan public punkt punkte
punkty punteggio punti punto puntos purpose pytania pytanie público qualidade qualità qualität qualité quand
quando quantidade quantity quantità quantité quantités quarta quelle quellen quem quest question questions
questão quick quindi quinta quiz quién quoi quotation quote quotes qué racconto rada rady ragione ragioni
raison raisons rakam range rappel rating ratio ratschlag razones razão razón razões reaction realidad
realidade reality realtà reason reasoning reasons recap receipt receita recenzja receta recette rechnung
rechtlich recipe recipes recomendaciones recomendación recomendação recomendações recommandation
recommendation recommendations recordatorio recuerda reference references referência reflection reflexión
reflexão regel regeln region register região regla reglas regola regole regra reguła reguły reihenfolge
reise rekomendacja relación related relationship relação release relevance remaining remark remarks remarque
remember reminder rendimento renk repeat replace reply request required requirement requirements requisiti
requisito research reservation resolución resolution resource resources respond response responses resposta
respostas respuesta respuestas result resultado resultados results resumen resumo reto return returns review
reviews reward rezept riassunto ricetta ricorda riferimento riflessione rischi risk risks risposta risposte
risultati risultato rodzaj rol rola role rolle roteiro route routine rozdział rozmiar rozwiązania
rozwiązanie rule rules runtime ruolo ryzyko règle règlement règles réflexion référence régime réponse
réponses résolution résultat résultats résumé różnica różnice rôle rückblick saat sabato sabor safety sahne
salida salı same samedi sample samples samstag sapore saturday sauce save saving saída scale scelta scena
scenario scenariusz scene schedule schlagzeile schließlich schluss school schritt schritte schwierigkeit
schwächen scope scopo score script scène scènes scénario season seasoning sebep sebepler second seconds
secret secreto section sections security see segreto seguito segunda segundo sekret senaryo sens sentence
sentences september septembre septiembre sera series serve serves service serving servings setembro setlist
settembre setting settings setup seventh several severity seviye sexta seçenek seçenekler señal shape share
she shipping shopping short shortcut side sidenote sign signature significado significance signification
significato signs simbolo similar similarities simple since sinn sinonimi sintesi sintomas sintomi sinónimos
sinônimo sinônimos situación situation situazione situação sixth size skala skill skills skutki skład
składnik składniki slogan smak small snack snacks sobota sobremesa software soluciones solución solution
solutions soluzione soluzioni solução soluções soma some something somma song songs sonntag sonra sonstiges
sonuç sonuçlar soon sorpresa soru sorular sorun sorunlar sound soundtrack source sources spanish spannung
spec special species specs speed spelling spesa spice spiegazione spiegazioni spiel spoiler spoilers sposoby
sposób sprache stack stage stages stagione stakes stand standort stanza start stat state statement
statistics stato stats status steak step steps stichwort stil stile still stimmung stir stock stop storage
storia story strategy strateji strength strengths streszczenie stretch strona structure struktura strumenti
struttura styl style stärken subject subtitle subtotal success sugerencia sugerencias sugestia sugestie
sugestão sugestões suggerimenti suggerimento suggestion suggestions suite sujet suma summary summe sunday
superpower supplies support sure surname surprise svantaggi symbol symptom symptome symptoms symptomy
symptômes synonim synonimy synonym synonyme synonymes synonyms syntax system sytuacja szczegóły szenario
szene sábado síntomas söz sözcük süre sürüm sıcaklık sıra słowa słowo tabela tabelle table tableau tablo tag
tageszeit tagline tags taille takeaway takeaways tamanho tamaño tanım tanımlar tarde tarea tarefa target
tarif tarih task tasks taste tavsiye tavsiyeler team technik technique techniques technologies technology
tecnica teil teknik tekst tema temas temat temi temperatur temperatura temperature template tempo temps
tense tension tenth teraz tercero term termin terms terça test testo tests text teza thanks that the thema
theme themen themes then theory there therefore these thesis they thing things think third this those
thought thoughts threat thursday thème ticket tiempo time timeframe timeline times timing tip tipi tipo
tipos tipp tipps tips titel title titoli titolo titre tldr to today todo together tomorrow tone tonight tono
tool tools top topic topics toppings total totale tradition traducciones traducción traduction traductions
traduzione traduzioni tradução training trait traits trama transcript transition translation transport
travel trick tricks trigger trivia troubleshooting trucco truco trucos trudność true truque truth tuesday
tune tutorial twist two typ type types typy tytuł técnica título tür türler tüyo tłumaczenie ubicación uhr
uhrzeit układ ultimo umfang umgebung uncensored und under understanding unit units unité unlike unterkunft
unterschied unterschiede until update updates upside url ursache urteil usage use user users uses uso
usually utilidad utilisation utilizzo uwaga uwagi uyarı uzasadnienie valeur valor valore value values
vantagem vantagens vantaggi vantaggio variables variant variante varianten variantes varianti variation
variations variação variações varsayım vegetables vendredi venerdì ventaja ventajas venue verabredung verb
verbindung verbo verdad verdade verdetto verdict vergleich verità verlauf verse version versione versions
versión versão viagem viaggio viaje vibe vibes video viernes view ville visibility vision visit vista visual
visão vitamin vocabolario vocabulaire vocabulario vocabulary vocabulário vocals vokabeln volume vorbereitung
vorschlag vorschläge vorsicht vorspeise vorteil vorteile vote voto voyage vérité wada wady waga wait wariant
warianty warmup warning warnings warnung wartość warum warunek warunki was way ways ważne we weakness
weaknesses wear weather website wednesday week weekend weeks weight welcome well wersja wert wetter what
when where which while who whole why wichtig wie wieczór wiek wind wirkung wisdom with without wniosek
wnioski wohnort word words work workaround workout world worst wort wprowadzenie wpływ wrap write writer
wskazówka wskazówki wstęp wtorek wyjaśnienie wyjątek wymagania wymowa wynik wyniki wyrażenie wzór wörter
yaklaşım yakıt yarar yararlar yazar yaş year years yemek yer yes yesterday yet yield yorum you your yöntem
yöntemler yıl zadania zadanie zahl zakończenie zalecenia zaleta zalety zaman zarar zasada zasady
zastosowanie zdanie zeit ziel ziele zip zitat znaczenie zone zorluk zubehör zubereitung zuerst zugabe
zusammenfassung zusatz zustand zutaten zweck zwei zweitens zły çalışma çarşamba çeviri çözüm çünkü çıktı
étape étapes önemli öneri öneriler örnek örnekler özellik özellikler özet özetle öğle öğün übersetzung
übrigens übung ülke üslup śniadanie środa şarkı şehir şekil şimdi źródła źródło август автор адрес анализ
аналогия апрель аргумент атмосфера база баланс бонус бюджет важно вариант варианты введение вверху версия
вес весна вечер вид видео виды вместо внизу внимание возможно возраст вопрос вопросы воскресенье время
вступление вторник вывод выводы выход глава главное год город группа данные дата действие декабрь день
деньги детали деятельность диалог дизайн дом дополнительно достоинства доход другое единица ещё жанр завтра
завтрак заголовок задание задача задачи заключение закон заметка заметки запомните запрос затем зима знание
значение значения идеи идея имя ингредиенты инструкция интерес интересно информация исключение история
источник источники итог итоги июль июнь как категория качество ключ книга код количество команда комментарий
контекст концовка кратко критерий критика лето линия логика май март меню мера меры место метод методы минус
минусы мнение мораль музыка мысль название наконец настроение начало недостатки необходимо ночь ноябрь нужно
нюанс нюансы обед область образ объяснение октябрь описание определение опыт осень основа основное ответ
ответственность ответы отзыв отличие отличия отлично оценка ошибка ошибки параметр параметры первое первый
перевод песня план плюс плюсы погода подготовка подсказка подсказки поиск польза понедельник понятие порции
порядок последствия постскриптум почему пояснение правда правила правило предложение предмет предупреждение
преимущества приготовление пример примеры примечание приоритет природа причина причины приём проблема
прогноз продолжение проект произношение просто процесс пункт путь пятница работа развязка раздел размер
разница район расход расчёт реакция результат рекомендации рекомендация рецепт решение роль рост свойства
сегодня секрет сентябрь серия симптомы синонимы ситуация скорость слова слово сложность случай смысл сначала
совет советы совпадение содержание состав состояние список способ способы среда срок ссылка статус стиль
страна строка структура суббота сумма суть сцена сценарий сюжет таблица так текст тема температура теперь
термин тип типы тон точка трюк ужин уровень условие условия утро участники факт факты февраль фильм форма
формат формула фраза функция характер характеристики хорошо цвет цели цель цена цитата часть часы четверг
число чтение шаг шаги шутка эпилог этап этапы эффект язык январь
"""
ORDINARY_WORDS = frozenset(_WORDS.split()) | {"fyi", "q", "a", "tldr"}

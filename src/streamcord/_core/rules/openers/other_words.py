"""Ordinary words of German, Polish, Russian and Turkish."""

from __future__ import annotations

__all__ = ["WORDS"]

WORDS = """
a abend abendessen aber abhilfe ablauf abschließend abschluss abschnitt absolut ach acht adjektiv adres adım
afd ahnung akapit akkusativ akt aktiv aktuell aktuelle aktuellen akış allein alleine allem allergies
allgemein allgemeinen alltag als alten alternatif alternativ alternativen alternatywa amaç amaçlar ambience
amerika amt analiz analiza analogy andere anderem anderen anderer anfang anfänger angabe angaben angebot
angst ankunft anlam anlamı anlass annahme anrede anreise ansage ansatz anschluss ansprechpartner anspruch
anteil antike antithese antwort antworten anwesend anzahl anzeige apotheke appendix april araç araçlar
arbeit arbeiten arbeitet arbeitgeber arbeitsweise architektur argumenty argüman armee arsch arten artikel
artılar arzt astuce atmung attribut auch auf aufbau aufgabe aufgaben aufgenommen aufgrund aufs auftrag
aufwand aufwärmen augen aus ausblick ausdauer ausdruck ausflug ausgabe ausgangslage ausland ausnahme aussage
aussehen aussprache auswahl autorin außen außerdem avantaj avantajlar ayrıca ayrıntı ayrıntılar açıklama
aşama aşamalar baden bahn bakış bau bauch bauen bayern bağlam başlangıç başlık beachte beachten beceri
bedeutet befehl befindet begann beginn beginnt begriff begriffe behandelt beide beiden beilage beilagen beim
beine beispiel beispiele beispielsweise beitrag beiträge bekannt bekannten beklenti bekommen bekommt belag
belirti belirtiler benutzer benutzt benzetme bereich bereit bericht berichtet berliner beruf beschluss
beschwerden beschäftigt besondere besonders besser bessere bestandteile beste bestehen besteht bestellnummer
besten bestimmt bestimmte bestimmten bestätigt besuch beteiligte betreff betrieb bett bevor beweis bewusst
bezahlen bezeichnet bezug bier bieten bietet bilanz bild bilder bilgi bilgiler bisher bisschen bist bitiş
bitte blau bleiben bleibt blick blieb blut boden boyut brachte brauche brauchen braucht braun breite bremen
bringen bringt brot bruch brust brücke buch budżet bugün bundesliga bzw ból bölüm böse bösewicht bücher
bürger bürgermeister büro bütçe błąd błędy caveat cdu cel cevap cevaplar chancen charakter checklist
checkliste ciekawostka cleanup climax colour concluindo cottura csu cuisson cuma cumartesi cytat czas
czwartek czynność czytanie część cümle dabei dachte dadurch dafür dagegen daher dahin dakika damals damen
damit danach dane danie dank danke dann daran darauf daraus darf darum darunter darüber dass daten dativ
datum dauer davon dazu ddr debug december deckname definicja definicje definitionen dehnen dein deine deinem
deinen deiner deko deliverables dem demnach demographics demokratie denen deneyim denkanstoß denke denken
denkt denn dennoch dependencies deren derzeit desenlace deser deshalb dessen desvantagem desvantagens
deswegen detay detaylar deutsch deutsche deutschen deutscher deutschland dezavantaj dezavantajlar dezember
değer değerlendirme diagnose diagramm dialog dialoge dich dienst dienstag diese diesem diesen dieser diesmal
differenz dikkat dil ding dinge dipnot direkt disclaimer diyalog diyet dlaczego dlatego doch dodatek
dodatkowo doku donnerstag dorf downside dowód doğru dran drauf drawback drei dresden dringend dritte dritten
droge druck dumm durch durchaus durchmesser durum duygu działanie dzień dürfen dürfte düsseldorf düşünce
eben ebenfalls ebenso echt edebiyat efekt efekty egal ehe ehemaligen eher eier eigene eigenen ein eindruck
einem einen einer einfach einfluss eingabe eingesetzt einige einigen einkauf einkaufsliste einmal eins
einsatz einspruch einstieg eintritt einwand einzahl einzelne einzelnen einzige eiweiß ekler eksiler eltern
empfänger endgegner englisch english entdeckt entfernt enthält entscheiden entschieden entsprechend
entstehen entweder entwickelt entwurf epilog epilogue erde ereignis erfahren erfolg erfolgreich erfolgt
ergebnis ergebnisse erhalten erhält erinnern erinnert erkennen erkenntnis erkenntnisse erklären erklärt
erlaubt erneut erreichen erreicht ersatz erscheint erst erste ersten erster erstmals erwarten erwartet
erwähnt erzähler erzählt essen essig etap etappe etapy etki etkiler etkinlik etwa euch eure europäischen
experte experten extrem fabel fabuła fachbegriff fahren fakt fakten faktencheck fakty falsch familie
familien fand fanden farbe farben favourite faza fazit fdp februar february fehlen fehler fehlt feiern feind
feinde fenster ferner fertig fest fett feuer figur figuren fikir fikirler finde finden findest findet fisch
fiyat fleisch flughafen fläche flüchtlinge folge folgen folgende folgenden folgt fonksiyon footnote formuła
formül fortgeschritten fortgeschrittene fortschritt frage fragen frankfurt frankreich französisch frauen
frei freie freien freitag freizeit freude freuen freund freunde freundin freut friday frist froh früh früher
frühjahr frühling frühstück funkcja funktionen funktioniert fußnote fyi fährt fällen fällt fühlen fühlt
führen führt führte fünf für fürs füße ganz ganze ganzen gar garten garzeit gast gatunek gebaut gebe geben
gebiet geboren gebracht geburtstag gebäude gedacht gedanke gedanken gedicht gefahr gefahren gefallen gefragt
gefunden gefällt gefühl gefühle geführt gegangen gegeben gegen gegenbeispiel gegensatz gegenwart gegenüber
gegner geh gehabt gehalten gehe geheimnis gehen gehirn geht gehören gehört gekauft gekommen gelb geld
gelecek gelernt gelesen gelten gemacht gemeinde gemeinsam gemüse genannt genau genauso genitiv genommen
genug genutzt gerade gereksinimler gerekçe gericht german gern gerne geräte gerçek gesagt gesamt gesamte
gesamten gesamtfazit gesamtzeit geschafft geschehen geschichte geschlecht geschmack geschrieben gesehen
gesetz gesetzt gesicht gespielt gesprochen gespräch gestellt gestern gestorben gesucht getan getroffen
getränk getränke gewalt gewesen gewicht gewinn gewinnen gewinner gewonnen geworden gewählt gewürze gezeigt
geçmiş gibt gilt ging giriş gist glaub glaube glauben glaubt gleich gleiche gleichen gleichzeitig glossar
glück glückwunsch gmbh godzina gotowanie gott grad grading grammatik greeting grenze grenzen griechisch groß
grund grundidee grundlagen grundregel grup grupa gruppe gruppen größe größen grün gründe gründen grüne
grünen guideline gute guten guter gutschein gäste gênero görev görevler gün güncelleme günler haar haare hab
habe haben habt haftungsausschluss halle hals halte halten handeln handelt hannover hashtag hass hast hasło
hata hatalar hatte hatten hatırlatma hauptfigur hauptgang hauptgericht hauptidee hauptspeise hauptteil haus
hausaufgabe hause haushalt hava hazırlanışı hazırlık hedef hedefler heldin helfen heraus herbst herkunft
herren hersteller herz herzen heute heutigen hielt hikaye hikâye hilfe hilfsmittel hilft himmel hin hinaus
hinfahrt hingegen hinten hinter hintergrund hinweis hinweise historisch hobbies hoch hoffe hohe hohen holen
http hund hymne hälfte hält hände hängt hätte hätten häufig höhe hören hörer hört ich idealfall ideen
identität ihm ihn ihnen ihr ihre ihrem ihren ihrer ilk ilke ilości ilość im imię immer immerhin impressum
imza inci inconvénient indem indiz informacja informacje informationen inhalt innen innerhalb insbesondere
insel insgesamt inspiracja instrukcja interessant interessen interessiert internationalen inzwischen ipucu
irgendwann irgendwas irgendwie irgendwo ironically irrtum isim ist istisna italian italienisch işlem işlev
jahr jahre jahren jahrhundert jak jakość januar january japanese japanisch jede jedem jeden jedenfalls jeder
jednostka jedoch jemand jemanden jetzt jeweils jugend juli july june junge jungen juni jährige język kaffee
kahvaltı kalite kalorien kam kamera kampf kann kannst kanıt kapitel karakter karakterler karte karten
kartoffeln karşılaştırma kategori kategoria kategorie kategorien kauf kaufen kaum kaynak kaynaklar kein
keine keinen keiner kelime kelimeler kenne kennen kennt kennzeichen kern kernaussage kernfrage kernidee
kernpunkt keyword kilometer kinder kindern kirche kitap klar klartext klasse klein kleine kleinen kleiner
kleingedrucktes klima klingt klucz knapp knie knoblauch kochzeit kod kohlenhydrate kolacja kolejność
kollegen kolor komentarz komm komme kommen kommentar kommt komplett komponente komponenten komödie konflikt
koniec konnte konnten konsequenz konsequenzen kontakt kontekst kontext konto kontra kontrolle konu konum
konzept kopf korrektur korzyści kosten kostenlos koszt koşul koşullar kraft kraj krankenhaus kreativ kreis
krieg krimi kriterien kriterium kritik krok kroki kryteria krótko książka kto kuchen kullanım kultur kunde
kunden kunst kural kurallar kurs kurz kurze kurzform kurzum kämpfen käse köln könne können könnt könnte
könnten körper küche künstler kısaca lachen laden lag lage lang lange langen langsam lass lassen laufen
laufzeit laut leben lebenslauf lebensmittel lebt legen legende lehre lehrer leicht leichte leid leider
leipzig leisten leitfrage lembrete lerneffekt lernen lernziel lesen leser leserin letzte letzten leute
leuten licht liczba lieben lieblingsessen liegen liegt lifespan lila linie linke linken linktipp literatur
lizenz logbuch logik logika lohn luft lust lustig länder ländern länge länger längst lässt läuft lösung mach
mache machen machst macht machte mag malzeme malzemeler manchmal mann mantra mantık marke markt maschine
materialien materiał materiały maßnahmen medien mehl mehr mehrere mehreren mehrzahl meilenstein meilensteine
meine meinem meinen meiner meinst meint meinte meist meisten meister menge mensch menschen merke merkmal
merkmale merksatz mesaj metapher methode methoden metin metoda metody metrics mevsim miasto mich midday
miejsce miktar milch milestone millionen mindestens mindset minusy minuten misja mitarbeiter mitbringen
miteinander mitglied mitglieder mittag mittagessen mitte mittel mittelstufe mitternacht mittlerweile
mittwoch mitwirkende modelle monat monate monaten mond monday monolog montag moraleja morał morgen motto
mund musik musikstil muss musst musste mussten mut muzyka mythos myśl mädchen männer märchen märz möchte
möchten möglichst münchen müssen müsste müzik nach nachdem nachmittag nachname nachricht nachrichten
nachspeise nacht nachteil nachteile nachtisch nachtrag nachweis nacken nagłówek nahe nahm najważniejsze
namen nastrój następnie natur nauka nazwa nazwisko neben nebenbei neden nedenler nehmen nein nennen nenner
nennt nereye netz netzwerk neu neue neuen neuer neun nicht nie niedziela niemals niemand nimmt noch nochmal
nokta nominativ norden notatka notatki notfall notiz notizen notlar notwendig november nudeln numara numer
nummer nun nutzen nutzer nächste nächsten nähe näher nährwerte nötig oben oberkörper obiad objekt obliczenia
obraz obst obwohl ocena october oder odmiana odpowiedzi odpowiedź offen offenbar oft ogólnie ohne oktober
olasılık olaylar opcja opcje opfer opinia opis optionen oran ort ortam orte osoba osoby osten paar packliste
paket pamiętaj partei parteien passcode passieren passiert passt passwort patienten pazar pazartesi perfekt
personen perşembe pfeffer pflanze pflege pflicht phasen pierwsze piosenka piątek platz plusquamperfekt plusy
poczta początek podpowiedź podróż podstawa podsumowanie pogoda pojęcie politik politiker politische
politischen polizei pomoc pomysł pomysły poniedziałek porada porady porcje porsiyon portionen porównanie
positiv potem potrawa powód poziom pośpiech prawda praxis preamble preis preise prinzip priorität probleme
problemy proces produkt produkte profi profitipp programm proje projekt prolog pronomen prozent prozess
przepis przesłanie przyczyna przyczyny przygotowanie przykład przykłady przypis przypomnienie prädikat
präsens präteritum ps puan publikum punkt punkte punkty pytania pytanie q qualität quatsch quellen qué
rabatt rada rady rahmen rakam randnotiz ratschlag raum raus realität recenzja recht rechte rechten reden
reflexion regel regeln reguła reguły reich reichen reicht reihe reihenfolge reim reise reisezeit
rekomendacja relativ renk rennen rezept richter richtig richtige richtigen risiken risiko rodzaj rolle
rollen rot rozdział rozmiar rozwiązania rozwiązanie ruhe ruhetag ruhig rund runde runtime russland ryzyko
rätsel różnica różnice rückblick rücken rückfahrt rückfrage rückgabe saat sachen sachsen sag sagen sagt
sagte sah sahne salat salz salı samstag saturday satz scenariusz schade schaden schaffen schau schauen
schauplatz scheint schlafen schlagzeile schlecht schlimm schloss schluss schlusswort schlüssel schnell
schneller schnelltest schon schreiben schreibt schrift schritt schritte schuld schule schulen schulter
schultern schutz schwarz schweiz schweizer schwer schwere schwäche schwächen schön schöne schönen schüler
schützen sebep sebepler sechs sehe sehen sehr seien seinem seinen seiner seite seiten sekret sekunden selber
selbst selten senaryo september setzen setzt setzte seviye seçenek seçenekler sich sicher sicherheitshinweis
sicht sidenote sie sieben sieg sieger siehe sieht sind sinn sinne sinngemäß sitzen sitzt skala skript skutki
skład składnik składniki smak sobald sobota sofort sogar sohn solche solchen soldaten soll sollen sollte
sollten somit sommer sondern sonntag sonra sonst sonstiges sonuç sonuçlar sorgen soru sorular sorun sorunlar
soweit sowie sowohl soziale sozialen soße soßen spanien spaß spd spec spezialfall spiegel spiel spiele
spielen spieler spielt spitze sposoby sposób sprach sprache sprachen sprechen spricht spruch spät später
staat staaten stadt standort starke statistik statt steckbrief stehen steht stellen stellt stellte sterben
stets stichpunkte stichwort stil stimme stimmen stimmt stoff stolz strafe strateji strecke streszczenie
strona strophe struktur struktura studie studium stufe stunde stunden stuttgart styl ständig stärke stärken
stück subjekt substantiv suche suchen sucht sugestia sugestie summe sunday suppe svantaggi symptom symptome
symptomy synonim synonimy synthese sytuacja szczegóły szenario szene szenen sätze söz sözcük süden süre
sürüm sıcaklık sıra słowa słowo tabellen tablo tage tagebuch tagen tagesablauf tagesplan tageszeit tagline
takt tanım tanımlar tarih tat tatsache tavsiye tavsiyeler technik technisch teig teil teile teilen
teilnehmer teilweise teknik tekst telefon temat temperatur teraz termin testfall teza thema themen theorie
thursday tief tiere tipp tisch titel tochter tod tolle tot tragen trainingsplan trauer traum treffen
treffpunkt trifft trinken trinkgeld tritt trivia trotz trotzdem trudność truque trägt tuesday tun tut typ
typy tytuł tür türkei türler tüyo tłumaczenie uhr uhrzeit uhrzeiten układ umfang umkehrschluss umwelt
unbedingt uncensored und universität unklar unser unsere unserem unseren unserer unten unter unterkunft
unterkörper unternehmen unterricht unterschied unterschiede unterstützen unterstützt untertitel unterwegs
urheber url urlaub ursache ursachen urteil usw uwaga uwagi uyarı uzasadnienie varianten varianti varsayım
verb verben verbot verboten verbunden verdacht verdetto verdient verein verfahren verfasser vergessen
vergleich verhalten verhindern verkaufen verkauft verkehr verlag verlassen verlauf verletzt verlieren
verlierer verloren verlust versand verschiedene verschiedenen versionen versprechen verstanden verstehe
verstehen verständnis versuch versuche versuchen versucht vertrag vertrauen vertreten verwendet
veröffentlicht viel viele vielen vielleicht viertens vocabolario vokabel vokabeln volk voll voller vom vor
vorbei vorgabe vorgaben vorgehen vorgehensweise vorgeschichte vorhanden vorher vorlage vorlieben vormittag
vorname vorne vorrat vorschau vorschlag vorschläge vorsicht vorspeise vorstellen vorteil vorteile vorwort
völlig wada wady waffe waffen waga wagen wahl wahr wald wann waren wariant warianty warnhinweis warten
wartość warum warunek warunki wasser ważne weder wednesday weg wege wegen weil wein weise weit weiter
weitere weiteren weiterhin weiß welche welchen welcher welt weltweit wenig wenige wenigen weniger wenigstens
wenn wer werde werden werk werke werkzeug werkzeuge wersja wert werte westen wetter wichtig wichtige
wichtiger wichtigste widerspruch wie wieczór wieder wiederum wiek wien wiener wieso willkommen willst winkel
wir wird wirken wirkt wirst wissen wniosek wnioski wo wobei woche wochen wochenende wohl wohnort wollen
wollte wollten worden workaround wort wortart worte wortschatz wprowadzenie wpływ wskazówka wskazówki wstęp
wtorek wunsch wurde wurden wurst wusste wut wyjaśnienie wyjątek wymagania wymowa wynik wyniki wyrażenie wzór
wählen während wäre wären wörter wünsche wünschen würde würden yaklaşım yakıt yarar yararlar yazar yaş yemek
yer yorum yöntem yöntemler yıl zadania zadanie zahl zahlen zahlreiche zakończenie zalecenia zaleta zalety
zaman zarar zasada zasady zastosowanie zdanie zehn zeichen zeigen zeigt zeile zeilen zeit zeitaufwand zeiten
zeitform zeitplan zeitpunkt zeitraum zentrum zeuge ziehen zieht ziel ziele zielgruppe zimmer zitat zitate
znaczenie zog zorluk zu zubehör zucker zudem zuerst zufrieden zug zugabe zugang zugfahrt zugleich zugriff
zuhause zukunft zuletzt zum zumindest zunächst zur zurück zusammen zusammenarbeit zusammenhang zusatz
zuschauer zustand zuständig zutaten zuvor zwar zweck zwei zweifel zweite zweiten zwiebeln zwischen
zwischenfazit zwischenstand zähler zählt zürich zły ändern çalışma çarşamba çeviri çözüm çünkü çıktı
öffentlichen öffnungszeiten önemli öneri öneriler örnek örnekler österreich özellik özellikler özet özetle
öğle öğün über überall überblick überhaupt überschrift übersicht übrigens übung ülke üslup śniadanie środa
şarkı şehir şekil şimdi źródła źródło август автор адрес анализ аналогия апрель аргумент атмосфера база
баланс бонус бюджет важно вариант варианты введение вверху версия вес весна вечер вид видео виды вместо
внизу внимание возможно возраст вопрос вопросы воскресенье время вступление вторник вывод выводы выход глава
главное год город группа данные дата действие декабрь день деньги детали деятельность диалог дизайн дом
дополнительно достоинства доход другое единица ещё жанр завтра завтрак заголовок задание задача задачи
заключение закон заметка заметки запомните запрос затем зима знание значение значения идеи идея имя
ингредиенты инструкция интерес интересно информация исключение история источник источники итог итоги июль
июнь как категория качество ключ книга код количество команда комментарий контекст концовка кратко критерий
критика лето линия логика май март меню мера меры место метод методы минус минусы мнение мораль музыка мысль
название наконец настроение начало недостатки необходимо ночь ноябрь нужно нюанс нюансы обед область образ
объяснение октябрь описание определение опыт осень основа основное ответ ответственность ответы отзыв
отличие отличия отлично оценка ошибка ошибки параметр параметры первое первый перевод песня план плюс плюсы
погода подготовка подсказка подсказки поиск польза понедельник понятие порции порядок последствия
постскриптум почему пояснение правда правила правило предложение предмет предупреждение преимущества
приготовление пример примеры примечание приоритет природа причина причины приём проблема прогноз продолжение
проект произношение просто процесс пункт путь пятница работа развязка раздел размер разница район расход
расчёт реакция результат рекомендации рекомендация рецепт решение роль рост свойства сегодня секрет сентябрь
серия симптомы синонимы ситуация скорость слова слово сложность случай смысл сначала совет советы совпадение
содержание состав состояние список способ способы среда срок ссылка статус стиль страна строка структура
суббота сумма суть сцена сценарий сюжет таблица так текст тема температура теперь термин тип типы тон точка
трюк ужин уровень условие условия утро участники факт факты февраль фильм форма формат формула фраза функция
характер характеристики хорошо цвет цели цель цена цитата часть часы четверг число чтение шаг шаги шутка
эпилог этап этапы эффект язык январь
"""

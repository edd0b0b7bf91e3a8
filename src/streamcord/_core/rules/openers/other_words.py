"""Ordinary words of German, Polish, Russian, Turkish, and the commonest openers of a dozen others."""

from __future__ import annotations

__all__ = ["WORDS"]

WORDS = """
a aamiainen abend abendessen aber abhilfe ablauf abschließend abschluss abschnitt absolut ach acht adjektiv
adres advarsel adım afd aftensmad ahnung aihe ainekset akapit akkusativ akt aktiv aktuell aktuelle aktuellen
akış alder allein alleine allem allergies allgemein allgemeinen alltag als alten alternatif alternativ
alternativen alternatywa amaran amaç amaçlar ambience amerika amt analiz analiza analogy andere anderem
anderen anderer anfang anfänger angabe angaben angebot angst ankunft anlam anlamı anlass anmärkning annahme
anrede anreise ansage ansatz anschluss ansprechpartner anspruch anteil antike antithese antwoord antwoorden
antwort antworten anwesend anzahl anzeige apa apotheke appendix april araç araçlar arbeit arbeiten arbeitet
arbeitgeber arbeitsweise architektur argumenty argüman armee arsch arten artikel artılar arzt astuce astăzi
atmung attribut auch auf aufbau aufgabe aufgaben aufgenommen aufgrund aufs auftrag aufwand aufwärmen augen
aus ausblick ausdauer ausdruck ausflug ausgabe ausgangslage ausland ausnahme aussage aussehen aussprache
auswahl autorin außen außerdem avantaj avantaje avantajlar avertisment avond avondeten ayrıca ayrıntı
ayrıntılar açıklama aşama aşamalar baden bagaimana bahan bahan-bahan bahn bakış bau bauch bauen bayern
bağlam başlangıç başlık beachte beachten beceri bedeutet befehl befindet begann beginn beginnt begriff
begriffe behandelt beide beiden beilage beilagen beim beine beispiel beispiele beispielsweise beitrag
beiträge bekannt bekannten beklenti bekommen bekommt belag belangrijk belirti belirtiler bemærk
benodigdheden benutzer benutzt benzetme bereich bereiding bereidingswijze bereit bericht berichtet berliner
beruf beschluss beschwerden beschäftigt besondere besonders besser bessere bestandteile beste bestehen
besteht bestellnummer besten bestimmt bestimmte bestimmten bestätigt besuch beteiligte betekenis betreff
betrieb bett betydelse betydning bevezetés bevor beweis bewusst bezahlen bezeichnet bezug bier bieten bietet
bijvoorbeeld bilanz bild bilder bilgi bilgiler bisher bisschen bist bitiş bitte blau bleiben bleibt blick
blieb blut boden boyut brachte brauche brauchen braucht braun breite bremen bringen bringt bron bronnen brot
bruch brust brücke buch budżet bugün bundesliga bzw báo ból bölüm böse bösewicht bücher bürger bürgermeister
büro bütçe błąd błędy bước bữa capitol catatan caveat cdu cel cevap cevaplar chancen charakter checklist
checkliste chú chương ciekawostka cină cleanup climax colour concluindo conclusie concluzie contoh conținut
cottura csu cuisson cuma cumartesi cytat czas czwartek czynność czytanie część cách câu cél cíl cümle cảnh
dabei dachte dadurch dafür dagegen daher dahin dakika damals damen damit danach dane danie dank danke dann
daran darauf daraus darf darum darunter darüber dass daten dativ datum dauer davon dazu ddr debug december
deckname definicja definicje definitionen dehnen dein deine deinem deinen deiner deko deliverables dem
demnach demographics demokratie denen deneyim denkanstoß denke denken denkt denn dennoch dependencies deren
derzeit desenlace deser deshalb dessen desvantagem desvantagens deswegen detay detaylar deutsch deutsche
deutschen deutscher deutschland dezavantaj dezavantaje dezavantajlar dezember değer değerlendirme diagnose
diagramm dialog dialoge dich dienst dienstag diese diesem diesen dieser diesmal differenz dikkat dil ding
dinge dipnot direkt disclaimer diyalog diyet dlaczego dlatego dnes doch dodatek dodatkowo doel doelen doku
donnerstag dorf downside dowód doğru dran drauf drawback drei dresden dringend dritte dritten droge druck
dumm durch durchaus durchmesser durum duur duygu działanie dzień dátum dürfen dürfte düsseldorf düşünce
důležité eben ebenfalls ebenso ebéd echt edebiyat edut efekt efekty efterrätt egal ehe ehemaligen eher eier
eigene eigenen ein eindruck einem einen einer einfach einfluss eingabe eingesetzt einige einigen einkauf
einkaufsliste einmal eins einsatz einspruch einstieg eintritt einwand einzahl einzelne einzelnen einzige
eiweiß ekler eksempel eksempler eksiler elkészítés eltern előnyök emne empfänger endgegner englisch english
entdeckt entfernt enthält entscheiden entschieden entsprechend entstehen entweder entwickelt entwurf epilog
epilogue erde eredmény ereignis erfahren erfolg erfolgreich erfolgt ergebnis ergebnisse erhalten erhält
erinnern erinnert erkennen erkenntnis erkenntnisse erklären erklärt erlaubt erneut erreichen erreicht ersatz
erscheint erst erste ersten erster erstmals erwarten erwartet erwähnt erzähler erzählt esimerkkejä esimerkki
essen essig etap etappe etapy etki etkiler etkinlik etwa euch eure europäischen exempel exemplu experte
experten explicație extrem fabel fabuła fachbegriff fahren fakt fakten faktencheck fakty falsch familie
familien fand fanden farbe farben favourite faza fazit fdp februar february fehlen fehler fehlt feiern feind
feinde fejezet fenster ferner fertig fest fett feuer figur figuren figyelmeztetés fikir fikirler finde
finden findest findet fisch fiyat fleisch flughafen fläche flüchtlinge folge folgen folgende folgenden folgt
fonksiyon fontos footnote fordele fordítás forklaring formuła formül forrás források fortgeschritten
fortgeschrittene fortschritt frage fragen framgangsmåte frankfurt frankreich französisch frauen frei freie
freien freitag freizeit fremgangsmåde freude freuen freund freunde freundin freut friday frist froh frokost
frukost fråga frågor früh früher frühjahr frühling frühstück funkcja funktionen funktioniert fußnote fyi
fährt fällen fällt fördelar förklaring fühlen fühlt führen führt führte fünf für fürs füße ganz ganze ganzen
gar garten garzeit gast gatunek gebaut gebe geben gebiet geboren gebracht geburtstag gebäude gedacht gedanke
gedanken gedicht gefahr gefahren gefallen gefragt gefunden gefällt gefühl gefühle geführt gegangen gegeben
gegen gegenbeispiel gegensatz gegenwart gegenüber gegner geh gehabt gehalten gehe geheimnis gehen gehirn
geht gehören gehört gekauft gekommen gelb geld gelecek gelernt gelesen gelten gemacht gemeinde gemeinsam
gemüse genannt genau genauso genitiv genommen genug genutzt gerade gereksinimler gerekçe gericht german gern
gerne geräte gerçek gesagt gesamt gesamte gesamten gesamtfazit gesamtzeit geschafft geschehen geschichte
geschlecht geschmack geschrieben gesehen gesetz gesetzt gesicht gespielt gesprochen gespräch gestellt
gestern gestorben gesucht getan getroffen getränk getränke gevolg gewalt gewesen gewicht gewinn gewinnen
gewinner gewonnen geworden gewählt gewürze gezeigt geçmiş ghi gibt gilt ging giriş gist giá giải glaub
glaube glauben glaubt gleich gleiche gleichen gleichzeitig glossar glück glückwunsch gmbh godzina gotowanie
gott grad grading grammatik greeting grenze grenzen griechisch groß grund grundidee grundlagen grundregel
grup grupa gruppe gruppen größe größen grün gründe gründen grüne grünen guideline gute guten guter gutschein
gäste gênero görev görevler gün güncelleme günler haar haare hab habe haben habt haftungsausschluss haitat
halle hals halte halten handeln handelt hannover harga hashtag hasil hass hast hasło hata hatalar hatte
hatten hatırlatma hauptfigur hauptgang hauptgericht hauptidee hauptspeise hauptteil haus hausaufgabe hause
haushalt hava hazırlanışı hazırlık hedef hedefler heldin helfen hely heraus herbst herkunft herren
hersteller herz herzen heute heutigen hielt hikaye hikâye hilfe hilfsmittel hilft himmel hin hinaus hinfahrt
hingegen hinta hinten hinter hintergrund hinweis hinweise historisch hobbies hoch hoe hoffe hogyan hohe
hohen hol holen holnap hoofdgerecht hoofdstuk hozzávalók http hund huomautus huomenna huomio hur hva hvad
hvem hvor hvordan hvorfor hvornår hymne hátrányok hälfte hält hände hängt hätte hätten häufig höhe hören
hörer hört ich idag idealfall ideen identität idő ihm ihn ihnen ihr ihre ihrem ihren ihrer ikä ilk ilke
ilości ilość im imię immer immerhin imorgon impressum imza inci inconvénient indem indhold indiz indledning
informacja informacje informationen ingredience ingredienser ingrediënten inhalt inhoud inledning inleiding
innehåll innen innerhalb innhold insbesondere insel insgesamt inspiracja instrukcja instruktioner
interessant interessen interessiert internationalen introducere inzwischen ipucu irgendwann irgendwas
irgendwie irgendwo ironically irrtum isim ist istisna italian italienisch işlem işlev jahr jahre jahren
jahrhundert jak jakość januar january japanese japanisch jawaban jawapan jede jedem jeden jedenfalls jeder
jednostka jedoch jelentés jemand jemanden jetzt jeweils jméno johdanto johtopäätös judul jugend juli july
june junge jungen juni jährige język kaffee kahvaltı kalite kalorien kam kamera kampf kann kannst kanıt
kapan kapitel kapitola karakter karakterler karte karten kartoffeln karşılaştırma kategori kategoria
kategorie kategorien kauf kaufen kaum kaynak kaynaklar kde kdo kdy kein keine keinen keiner kekurangan
kelebihan kelime kelimeler kenne kennen kennt kennzeichen kern kernaussage kernfrage kernidee kernpunkt
kesimpulan keyword kilde kilder kilometer kinder kindern kirche kitap klar klartext klasse klein kleine
kleinen kleiner kleingedrucktes klima klingt klucz knapp knie knoblauch kochzeit kod kohlenhydrate kolacja
kolejność kollegen kolor komentarz komm komme kommen kommentar kommt komplett komponente komponenten komödie
konflikt koniec konklusion konklusjon konnte konnten konsequenz konsequenzen kontakt kontekst kontext konto
kontra kontrolle konu konum konzept kopf korrektur kortom korzyści kosten kostenlos kostnad koszt koşul
koşullar kraft kraj krankenhaus kreativ kreis krieg krimi kriterien kriterium kritik krok kroki kroky
kryteria krótko książka kto kuchen kuka kullanım kultur kunde kunden kunst kural kurallar kurs kurz kurze
kurzform kurzum kväll kysymykset kysymys källa källor kämpfen käse käännös kérdés kérdések köln könne können
könnt könnte könnten körper következtetés küche künstler kısaca kết lachen laden lag lage lang lange langen
langkah langkah-langkah langsam lass lassen laufen laufzeit laut leben lebenslauf lebensmittel lebt leeftijd
legen legende lehre lehrer leicht leichte leid leider leipzig leisten leitfrage lembrete lerneffekt lernen
lernziel lesen leser leserin letzte letzten leute leuten licht liczba lieben lieblingsessen liegen liegt
lifespan lila linie linke linken linktipp literatur lizenz liệu locatie logbuch logik logika lohn lounas
luft luku lust lustig lähde lähteet länder ländern länge länger längst lässt läuft lépés lépések lösning
lösung løsning lưu mach mache machen machst macht machte mag magyarázat malzeme malzemeler manchmal mann
mantra mantık marke markt masalah maschine materialien materiał materiały maßnahmen medien megjegyzés
megoldás mehl mehr mehrere mehreren mehrzahl meilenstein meilensteine meine meinem meinen meiner meinst
meint meinte meist meisten meister mengapa menge mensch menschen merk merke merkitys merkmal merkmale
merksatz mesaj metapher methode methoden metin metoda metody metrics mevsim miasto mich middag midday
miejsce mikor miksi miktar milch milestone millionen milloin mindestens mindset minusy minuten misja missä
mitarbeiter mitbringen miteinander miten mitglied mitglieder mittag mittagessen mitte mittel mittelstufe
mitternacht mittlerweile mittwoch mitwirkende mitä miért modelle moeilijkheid monat monate monaten mond
monday monolog montag moraleja morał morgen morgenmad motto mund musik musikstil muss musst musste mussten
mut muzyka mythos myśl mâine mädchen männer märchen märz mål místo möchte möchten möglichst münchen müssen
müsste müzik mẹo mục naam nach nachdem nachmittag nachname nachricht nachrichten nachspeise nacht nachteil
nachteile nachtisch nachtrag nachweis nackdelar nacken nadelen nagerecht nagłówek nahe nahm najważniejsze
nama namen namn nastrój następnie natur nauka navn nazwa nazwisko neben nebenbei neden nedenler nehmen nein
nennen nenner nennt nereye netz netzwerk neu neue neuen neuer neun nevýhody nguyên nguồn nhược nicht nie
niedziela niemals niemand nimi nimmt noch nochmal nokta nominativ norden notatka notatki notera notfall
notiz notizen notlar notwendig notă november nudeln numara nume numer nummer nun nutzen nutzer nächste
nächsten nähe näher nährwerte när név nötig nội oben oberkörper obiad objekt obliczenia obraz obs obsah
observație obst obwohl oběd ocena ochtend october oder odmiana odpoveď odpovědi odpověď odpowiedzi odpowiedź
offen offenbar oft ogólnie ohne oktober olasılık olaylar onderwerp ongelma ontbijt onthoud oorzaak opcja
opcje opfer opinia opis oplossing opmerking opmerkingen oppsummering optionen oran orsak ort ortam orte oră
osoba osoby osten otázka otázky oversettelse oversættelse overzicht paar packliste paikka paket pamiętaj
partei parteien passcode passieren passiert passt passwort patienten pazar pazartesi pași pendahuluan
penjelasan penting perfekt peringatan personen pertanyaan perşembe pfeffer pflanze pflege pflicht phasen
pierwsze piosenka piątek plaats plats platz plusquamperfekt plusy poczta początek podpowiedź podróż podstawa
podsumowanie pogoda pojęcie politik politiker politische politischen polizei pomoc pomysł pomysły
poniedziałek porada porady porcje porsiyon portionen portioner porównanie positiv postup potem potrawa powód
poziom poznámka poznámky pośpiech prawda praxis preamble preis preise preparare preț prijs prinzip priorität
probleem probleme problemy problemă probléma proces produkt produkte profi profitipp programm proje projekt
prolog pronomen prozent prozess proč przepis przesłanie przyczyna przyczyny przygotowanie przykład przykłady
przypis przypomnienie prânz prädikat präsens präteritum príklad ps puan publikum punkt punkte punkty pytania
pytanie päivällinen päivämäärä példa példák předmět překlad příklad příklady příprava q qualität quatsch
quellen qué rabatt rada rady rahmen rakam randnotiz ratkaisu ratschlag raum raus realität recenzja recht
rechte rechten reden reflexion regel regeln reggeli reguła reguły reich reichen reicht reihe reihenfolge
reim reise reisezeit rekomendacja relativ renk rennen resultaat resultat rezept rezultat rezumat richter
richtig richtige richtigen riešenie ringkasan risiken risiko rodzaj rolle rollen rot rozdział rozmiar
rozwiązania rozwiązanie ruhe ruhetag ruhig rund runde runtime russland ryzyko rätsel różnica różnice
rückblick rücken rückfahrt rückfrage rückgabe răspuns saat sachen sachsen sag sagen sagt sagte sah sahne
salat salz salı samenvatting sammanfattning samstag sarapan saturday satz scenariusz schade schaden schaffen
schau schauen schauplatz scheint schlafen schlagzeile schlecht schlimm schloss schluss schlusswort schlüssel
schnell schneller schnelltest schon schreiben schreibt schrift schritt schritte schuld schule schulen
schulter schultern schutz schwarz schweiz schweizer schwer schwere schwäche schwächen schön schöne schönen
schüler schützen scop sebep sebepler sechs sehe sehen sehr seien seinem seinen seiner seite seiten sekret
sekunden selber selbst selitys selten semnificație senaryo september setzen setzt setzte seviye seçenek
seçenekler sfat sfaturi shrnutí siapa sich sicher sicherheitshinweis sicht sidenote sie sieben sieg sieger
siehe sieht sind sinn sinne sinngemäß sisältö sitzen sitzt skala skript skutki skład składnik składniki
slutsats smak snídaně sobald sobota sofort sogar sohn solche solchen soldaten soll sollen sollte sollten
solusi soluție somit sommer sondern sonntag sonra sonst sonstiges sonuç sonuçlar sorgen soru sorular sorun
sorunlar soweit sowie sowohl soziale sozialen soße soßen spanien spaß spd spec spezialfall spiegel spiel
spiele spielen spieler spielt spitze sposoby sposób sprach sprache sprachen sprechen spricht spruch spät
später spørgsmål staat staaten stadt standort stap stappen starke statistik statt steckbrief sted steg
stehen steht stellen stellt stellte sterben stets stichpunkte stichwort stil stimme stimmen stimmt stoff
stolz strafe strateji strecke streszczenie strona strophe struktur struktura studie studium stufe stunde
stunden stuttgart styl ständig stärke stärken stück subiect subjekt substantiv suche suchen sucht sugestia
sugestie sumber summe sunday suppe suroviny surse sursă svantaggi svar svårighetsgrad symptom symptome
symptomy synonim synonimy synthese sytuacja szczegóły szenario szene szenen sätze söz sözcük süden süre
sürüm sıcaklık sıra słowa słowo tabellen tablo tage tagebuch tagen tagesablauf tagesplan tageszeit tagline
takt tanggal tanım tanımlar tarih tartalom tat tatsache tavoite tavsiye tavsiyeler technik technisch teig
teil teile teilen teilnehmer teilweise teknik tekst telefon temat tempat temperatur teraz terjemahan termin
testfall teza thema themen theorie thursday thích thời tid tief tiere tijd tillagning tipp tipy tisch titel
tiêu tochter tod tolle topik tot traducere tragen trainingsplan trauer traum treffen treffpunkt trifft trin
trinken trinkgeld tritt trivia trotz trotzdem trudność truque trägt trả tuesday tujuan tulos tun tut tuổi
typ typy tytuł tárgy tänään tärkeää tên tóm tür türkei türler tüyo tłumaczenie udtale uhr uhrzeit uhrzeiten
uitleg uitspraak układ ulemper umfang umkehrschluss umur umwelt unbedingt uncensored und universität unklar
unser unsere unserem unseren unserer unten unter unterkunft unterkörper unternehmen unterricht unterschied
unterschiede unterstützen unterstützt untertitel unterwegs urheber url urlaub ursache ursachen urteil usw
uttal uwaga uwagi uyarı uzasadnienie vacsora vad vaihe vaiheet valmistus vandaag varaktighet varför
varianten varianti varighed varning varoitus varování varsayım vastaus verb verben verbot verboten verbunden
verdacht verdetto verdient verein verfahren verfasser vergessen vergleich verhalten verhindern verkaufen
verkauft verkehr verlag verlassen verlauf verletzt verlieren verlierer verloren verlust versand verschiedene
verschiedenen versionen versprechen verstanden verstehe verstehen verständnis versuch versuche versuchen
versucht vertaling vertrag vertrauen vertreten verwendet veröffentlicht večeře viel viele vielen vielleicht
viertens vigtigt viktig viktigt vinkki vocabolario vokabel vokabeln volk voll voller vom voorbeeld
voorbeelden voordelen vor vorbei vorgabe vorgaben vorgehen vorgehensweise vorgeschichte vorhanden vorher
vorlage vorlieben vormittag vorname vorne vorrat vorschau vorschlag vorschläge vorsicht vorspeise vorstellen
vorteil vorteile vorwort vraag vragen vysvětlení válasz vârstă ví völlig výhody výsledek výsledok výslovnost
význam věk vấn waar waarom waarschuwing wada wady waffe waffen waga wagen wahl wahr waktu wald wann wanneer
waren wariant warianty warnhinweis warten wartość warum warunek warunki wasser wat ważne weder wednesday weg
wege wegen weil wein weise weit weiter weitere weiteren weiterhin weiß welche welchen welcher welt weltweit
wenig wenige wenigen weniger wenigstens wenn wer werde werden werk werke werkzeug werkzeuge wersja wert
werte westen wetter wichtig wichtige wichtiger wichtigste widerspruch wie wieczór wieder wiederum wiek wien
wiener wieso willkommen willst winkel wir wird wirken wirkt wirst wissen wniosek wnioski wo wobei woche
wochen wochenende wohl wohnort wollen wollte wollten worden workaround wort wortart worte wortschatz
wprowadzenie wpływ wskazówka wskazówki wstęp wtorek wunsch wurde wurden wurst wusste wut wyjaśnienie wyjątek
wymagania wymowa wynik wyniki wyrażenie wzór wählen während wäre wären wörter wünsche wünschen würde würden
yaklaşım yakıt yarar yararlar yazar yaş yemek yer yhteenveto yorum yöntem yöntemler yıl zadania zadanie zahl
zahlen zahlreiche zakończenie zalecenia zaleta zalety zaman zarar zasada zasady zastosowanie zdanie zdroj
zdroje zehn zeichen zeigen zeigt zeile zeilen zeit zeitaufwand zeiten zeitform zeitplan zeitpunkt zeitraum
zentrum zeuge ziehen zieht ziel ziele zielgruppe zimmer zitat zitate znaczenie zog zorluk zu zubehör zucker
zudem zuerst zufrieden zug zugabe zugang zugfahrt zugleich zugriff zuhause zukunft zuletzt zum zumindest
zunächst zur zurück zusammen zusammenarbeit zusammenhang zusatz zuschauer zustand zuständig zutaten zuvor
zwar zweck zwei zweifel zweite zweiten zwiebeln zwischen zwischenfazit zwischenstand záver závěr zähler
zählt zítra zürich zły ämne ändern ålder årsag çalışma çarşamba çeviri çözüm çünkü çıktı întrebare întrebări
öffentlichen öffnungszeiten önemli öneri öneriler örnek örnekler összefoglalás összegzés österreich
översättning özellik özellikler özet özetle öğle öğün úvod über überall überblick überhaupt überschrift
übersicht übrigens übung ülke üslup čas điểm đề địa řešení śniadanie środa şarkı şehir şekil şimdi źródła
źródło ưu απάντηση αποτέλεσμα αύριο βήμα βήματα βραδινό γιατί εισαγωγή εκτέλεση εξήγηση ερωτήσεις ερώτηση
ηλικία ημερομηνία θέμα κεφάλαιο λύση μειονεκτήματα μεσημεριανό μετάφραση παράδειγμα παραδείγματα περίληψη
περιεχόμενο πηγές πηγή πλεονεκτήματα ποιος πού προσοχή πρωινό πρόβλημα πότε πώς σήμερα σημαντικό σημείωση
σημειώσεις στόχος συμβουλές συμβουλή συμπέρασμα τι τιμή τόπος υλικά όνομα ώρα август автор адрес анализ
аналогия апрель аргумент атмосфера база баланс бонус бюджет важливо важно вариант варианты введение вверху
версия вес весна вечер вечеря вид видео виды висновок вместо внизу внимание возможно возраст вопрос вопросы
воскресенье время вступ вступление вторник вывод выводы выход відповідь вік глава главное год город группа
данные дата де действие декабрь день деньги детали деятельность джерела джерело диалог дизайн дом
дополнительно достоинства доход другое единица ещё жанр завтра завтрак заголовок задание задача задачи
заключение закон заметка заметки запомните запрос затем зима зміст знание значение значения значення идеи
идея имя ингредиенты инструкция интерес интересно информация исключение история источник источники итог
итоги июль июнь как категория качество ключ книга код коли количество команда комментарий контекст концовка
кратко критерий критика крок кроки лето линия логика май март меню мера меры место мета метод методы минус
минусы мнение мораль музыка мысль місце название наконец настроение начало недоліки недостатки необходимо
ночь ноябрь нужно нюанс нюансы обед область образ объяснение обід октябрь описание определение опыт осень
основа основное ответ ответственность ответы отзыв отличие отличия отлично оценка ошибка ошибки параметр
параметры первое первый переваги перевод переклад песня питання план плюс плюсы погода подготовка подсказка
подсказки поиск польза понедельник понятие порада поради порции порядок последствия постскриптум почему
пояснение пояснення правда правила правило предложение предмет предупреждение преимущества приготовление
приготування приклад приклади пример примеры примечание примітка приоритет природа причина причины приём
проблема прогноз продолжение проект произношение просто процесс пункт путь пятница підсумок работа развязка
раздел размер разница район расход расчёт реакция результат рекомендации рекомендация рецепт решение
розв'язання розділ роль рост рішення свойства сегодня секрет сентябрь серия симптомы синонимы ситуация
скорость слова слово сложность случай смысл сначала сніданок совет советы совпадение содержание состав
состояние список способ способы среда срок ссылка статус стиль страна строка структура суббота сумма суть
сцена сценарий сьогодні сюжет таблица так текст тема температура теперь термин тип типы тон точка трюк увага
ужин уровень условие условия утро участники факт факты февраль фильм форма формат формула фраза функция
характер характеристики хорошо хто цвет цели цель цена цитата ціна час часть часы четверг число чому чтение
шаг шаги шутка що эпилог этап этапы эффект язык як январь ім'я інгредієнти
"""

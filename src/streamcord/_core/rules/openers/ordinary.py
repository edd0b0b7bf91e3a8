"""Which words begin lines before a colon in ordinary answers (`Note:`, `Zutaten:`), so that they name nobody.

No list has all of them. Words with the endings of abstract nouns are ordinary too, plurals are what their
singulars are, and German compounds what their last parts are.
"""

from __future__ import annotations

from functools import cache

__all__ = ["is_ordinary", "ordinary_words"]

_ENDINGS = tuple(
    """
    tion tions sion sions ness ship ships ism isms ology ment ments able ible ful less ity ities ung ungen
    heit heiten keit keiten schaft schaften ismus ité ités isme ement logie ción ciones sión siones dad dades
    miento mientos ismo logía ção ções são sões dade dades mento mentos logia zione zioni sione sioni menti tà
    mente lich graphy logue tive tives file code book sheet list time point word board guide note notes work
    flow card game brücke probe falle kunft budget error exception warning synthesis empire sphere
    anleitung arbeit aufgabe aufwand beispiel beispiele bereich bild buch daten dauer ergebnis fakt fakten
    fall farbe fehler form frage fragen grad grund gruppe hilfe hinweis hinweise idee ideen inhalt karte
    kosten kraft lage liste listen material menge mittel name namen paket phase plan preis problem programm
    projekt punkt punkte quelle quellen regel regeln reise runde satz schritt schritte seite spiel spiele
    stand stelle stil stoff strategie stufe stück system tabelle tag tage teil teile termin text thema tipp
    tipps titel ursache variante version vorschlag weg wert werte wissen wort worte wörter zahl zahlen zeit
    zeiten zettel ziel ziele zutat zutaten übung
    """.split()  # noqa: SIM905
)
# People's names that end as ordinary words do, or are their plurals.
_NAMES = frozenset(
    """
    adoración anunciación ascensión asunción brooks caridad charity chasity christelle clement
    clemente clément conceição concepción consolación dallas dolores encarnación encarnação estelle faris
    felicity frances frans james klement lois mehrdad milagros miles moisés natividad nieves piedade
    presentación purificación purificação
    remedios reyes rivers santos serenity soledad trinidad trinity unity verity visitación wells
    """.split()  # noqa: SIM905
)
_LONG = 7
_LONGER = 10


@cache
def ordinary_words() -> frozenset[str]:
    """All listed words; they are read when somebody first asks for them."""
    from . import english_words, other_words, romance_words  # noqa: PLC0415  (few need them)

    return frozenset(f"{english_words.WORDS} {romance_words.WORDS} {other_words.WORDS}".split())


def _singulars(word: str) -> frozenset[str]:
    """What a plural may be made of."""
    if word[-1] != "s":
        return frozenset()
    return frozenset({word[:-1], word[:-2]} if word[-2] == "e" else {word[:-1]})


def is_ordinary(word: str) -> bool:
    """Whether a word, in small letters, is one that answers begin lines with, and no name."""
    if word in _NAMES:
        return False
    words = ordinary_words()
    if word in words or (len(word) > 4 and _singulars(word) & words):
        return True
    if len(word) < _LONG:
        return False
    return word.endswith(_ENDINGS) or (len(word) >= _LONGER and word.endswith(("ing", "ings")))

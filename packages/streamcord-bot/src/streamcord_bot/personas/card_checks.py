"""Check the character cards that the file names: whether they can be read, and what of them is not used."""

from __future__ import annotations

from pathlib import Path

from ..config import BotConfig, PersonaConfig
from ..ops.check_result import CheckResult
from .character_cards import PROMPT_LENGTH, CardError
from .lore_editor import report_card
from .server_personas import open_card


def check_cards(config: BotConfig) -> list[CheckResult]:
    """Return a result for each persona with a card."""
    folder = Path(config.file).parent
    return [_check_card(one, folder) for one in config.personas if one.card]


def _check_card(one: PersonaConfig, folder: Path) -> CheckResult:
    try:
        card = open_card(one.card, folder)
    except (OSError, CardError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error).removesuffix(".")
        advice = f"Put the file into {folder.resolve()}, or take the line out."
        return CheckResult("card", ok=False, words=f"{one.card} of {one.name}: {why}", advice=advice)
    report = report_card(card.stored)
    words = [
        f"{one.card} is {card.stored.name}",
        f"sprites {len(card.sprites)}",
        f"entries of lore {report['used']}",
    ]
    if report["regex"]:
        words.append(f"not used because of their regular expression {report['regex']}")
    if report["cut"] and not one.prompt:
        words.append(f"prompt cut at {PROMPT_LENGTH:,} of {report['cut']:,} characters")
    advice = ""
    if one.name != card.stored.name:
        advice = f'It speaks as {one.name}: name = "{card.stored.name}" takes the name of the card.'
    return CheckResult("card", ok=True, words=", ".join(words), advice=advice)

"""Reading what a command answered."""

from __future__ import annotations

from discord_twin import Interaction, Message, Twin


async def answer_to(twin: Twin, interaction: Interaction) -> Message:
    """The first answer that has words."""
    return await twin.until(
        lambda: interaction.original if interaction.original and interaction.original.content else None
    )

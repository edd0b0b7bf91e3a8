"""The way out into Discord, with discord.py."""

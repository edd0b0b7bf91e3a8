"""A ready persona and assistant bot for Discord, built on streamcord."""

__version__ = "0.1.0"

__all__ = ["__version__"]

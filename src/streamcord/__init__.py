"""streamcord brings a language model's stream into Discord."""

__version__ = "0.1.0"

"""streamcord brings a language model's stream into Discord."""

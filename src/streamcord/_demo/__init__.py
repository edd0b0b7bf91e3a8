"""`streamcord demo`: a local Discord, the bot and a terminal to talk to it, with a real small model."""

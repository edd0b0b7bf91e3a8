"""`streamcord-bot demo`: a local Discord, the bot and a terminal to talk to it."""

"""The bot's file: what it may say, how it is read, written and checked."""

"""The bot as one of several processes that share a token."""

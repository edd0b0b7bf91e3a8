"""The bot in a process of its own, killed at seeded moments."""

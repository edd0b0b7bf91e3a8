"""Tools to look at an answer: what would be sent, when, and why."""

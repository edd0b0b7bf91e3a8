"""Decide which messages are questions and queue them per channel."""

"""Sentences, words and characters of natural language."""

"""Reads Discord's Markdown: the scanner, and what each of its parts knows."""

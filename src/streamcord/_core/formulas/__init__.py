"""Formulas: where they end in a text, and how a line of text says them."""

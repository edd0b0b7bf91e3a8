"""Personas: their cards, pictures and names."""

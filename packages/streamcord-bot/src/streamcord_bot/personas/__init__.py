"""Personas of a server, character cards and pictures."""

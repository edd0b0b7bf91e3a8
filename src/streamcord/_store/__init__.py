"""Personas, settings and memory in a database."""

"""Personas, settings and memories in SQLite or PostgreSQL."""

"""Helpers without dependencies that every package may use."""

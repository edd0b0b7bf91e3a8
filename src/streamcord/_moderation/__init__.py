"""Texts that are looked at before a model reads them, and before people do."""

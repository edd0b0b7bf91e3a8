"""Data retention, and the operator's report about it. What a user sees and deletes is `commands/privacy.py`."""

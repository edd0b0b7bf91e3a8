"""Delivery of an answer as one message that grows by edits."""

"""Parse untrusted files in a separate process."""

"""What the local Discord knows, as values."""

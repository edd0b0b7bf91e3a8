"""Draw tables as images."""

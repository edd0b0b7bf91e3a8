"""Turn normalized segments into messages."""

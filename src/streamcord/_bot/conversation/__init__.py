"""Which messages are answered, in which order, and what the model reads."""

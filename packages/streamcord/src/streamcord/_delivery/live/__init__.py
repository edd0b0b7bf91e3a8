"""Show an answer as one message that is edited while the model writes."""

"""Build what the model is asked."""

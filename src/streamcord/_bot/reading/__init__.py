"""What people send besides words, as text that a model can read."""

"""Who is answered, and what the model reads of what was said before."""

"""Which words begin lines before a colon and name nobody who speaks."""

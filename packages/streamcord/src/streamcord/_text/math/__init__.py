"""Show LaTeX formulas as Unicode text."""

"""The cost of answers, its limits, and how many answers run at once."""

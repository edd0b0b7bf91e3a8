"""A page to look at the local Discord."""

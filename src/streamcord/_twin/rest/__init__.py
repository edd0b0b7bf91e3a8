"""REST of the local Discord: what every request passes through."""

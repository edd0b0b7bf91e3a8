"""The commands `streamcord preview`, `ask` and `replay`."""

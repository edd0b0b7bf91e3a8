"""What streamcord.testing offers."""

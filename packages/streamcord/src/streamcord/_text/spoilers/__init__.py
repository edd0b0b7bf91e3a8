"""Keep spoilers hidden in Discord."""

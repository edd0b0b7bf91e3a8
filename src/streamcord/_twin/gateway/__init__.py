"""The gateway of the local Discord."""

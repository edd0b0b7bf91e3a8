"""Discord's rules for request bodies."""

"""What answers cost, what is allowed, and how many run at once."""

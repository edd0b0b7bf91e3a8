"""What Discord accepts, as data: a table of objects, their fields and their limits."""

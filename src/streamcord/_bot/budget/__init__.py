"""What answers may cost: how many, how dear, and how many at once."""

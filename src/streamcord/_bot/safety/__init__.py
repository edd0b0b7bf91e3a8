"""What people may ask about their data, how long it is kept, and who changed what."""

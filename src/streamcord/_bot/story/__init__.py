"""What a character card says besides who somebody is: the lore of their world, notes, greetings."""

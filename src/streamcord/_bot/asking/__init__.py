"""Ways to ask besides writing a message: `/ask`, and the menu of a message."""

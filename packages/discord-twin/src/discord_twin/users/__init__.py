"""Act as a user: write, react, press buttons, use commands."""

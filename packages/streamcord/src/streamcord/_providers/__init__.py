"""Read answers from model APIs and SDK streams."""

"""Resume answers and questions after a crash or an outage."""

"""The REST API: routing, checks, rate limits, errors."""

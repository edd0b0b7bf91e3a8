"""Adapters for model APIs: build requests and decode responses. Pure, one module each."""

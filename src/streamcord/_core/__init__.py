"""The pure text core: no asyncio, no clock, no environment, no logging, no third party."""

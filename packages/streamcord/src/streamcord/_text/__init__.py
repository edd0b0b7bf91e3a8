"""The pure text pipeline: no I/O, no clock, no third party."""

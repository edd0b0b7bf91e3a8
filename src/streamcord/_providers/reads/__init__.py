"""Reading what a server sends: the bytes of a response, its events, and the short way to their words."""

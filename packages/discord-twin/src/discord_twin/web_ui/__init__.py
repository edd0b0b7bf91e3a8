"""A web page to see and use the local Discord."""

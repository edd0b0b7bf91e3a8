"""Files that strangers send, read and written in a process apart."""

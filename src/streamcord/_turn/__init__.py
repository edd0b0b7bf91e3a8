"""One turn: a source, the text core and a transport, joined."""

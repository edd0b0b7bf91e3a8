"""People who act: what a client lets them do, and no more."""

"""Who may do what, where, and with which settings."""

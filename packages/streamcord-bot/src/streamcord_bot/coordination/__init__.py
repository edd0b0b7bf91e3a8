"""Which process answers: one process, or a cluster."""

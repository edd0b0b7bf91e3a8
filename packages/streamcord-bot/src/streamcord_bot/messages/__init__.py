"""Discord messages as plain values."""

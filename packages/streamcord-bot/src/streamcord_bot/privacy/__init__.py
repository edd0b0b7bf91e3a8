"""Data retention and the privacy report."""

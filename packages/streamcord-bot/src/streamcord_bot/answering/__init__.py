"""Write one answer."""

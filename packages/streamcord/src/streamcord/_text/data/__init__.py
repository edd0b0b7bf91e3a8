"""Word lists: one text file each, `#` begins a comment line."""

"""Everything this Discord knows, in memory."""

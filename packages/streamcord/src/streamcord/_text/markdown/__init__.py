"""Read Discord's Markdown."""

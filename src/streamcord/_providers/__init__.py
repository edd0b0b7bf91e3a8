"""The way in: servers that are asked, and how each family of APIs is understood."""

"""Text rules of the normalizer, one module each."""

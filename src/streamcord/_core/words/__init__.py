"""Words and letters: sentences, faces made of signs, visible characters, addresses."""

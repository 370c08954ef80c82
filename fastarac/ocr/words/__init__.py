"""Words, lines and characters of pages: alignment with the true text, and the resulting items."""

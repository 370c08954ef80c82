"""Words, lines and characters of pages: alignment with the true text, and the items it gives."""

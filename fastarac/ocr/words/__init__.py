"""Words, lines and characters of pages: their alignment with the true text, and items made from it."""

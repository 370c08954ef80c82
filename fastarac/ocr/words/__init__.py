"""Words, lines and characters of pages: aligned with the true text, and made to items."""

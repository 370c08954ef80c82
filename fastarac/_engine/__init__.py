"""From arrays to ordered items: the one door, and every way in which items are sorted or counted."""

"""Operating points: a threshold, and what happens at it."""

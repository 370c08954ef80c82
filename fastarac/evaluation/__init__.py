"""All figures of one model at once: from items, by groups, from counts in bins, and costs."""

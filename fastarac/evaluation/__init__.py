"""All figures of one model at once: of items, by groups, of counts in bins, in money."""

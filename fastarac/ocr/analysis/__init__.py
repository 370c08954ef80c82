"""Analysis of an engine's errors: by attributes of the pages, by cause, by price."""

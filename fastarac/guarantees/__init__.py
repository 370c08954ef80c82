"""Thresholds that keep a limit on new items from the same source, with a stated probability."""

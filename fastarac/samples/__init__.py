"""Kinds of samples that figures are computed from, and the door that decides which one is given."""

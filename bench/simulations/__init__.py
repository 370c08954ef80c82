"""Simulations: how often intervals cover, tests reject, and guarantees are broken."""

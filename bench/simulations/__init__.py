"""How often intervals cover, tests reject and guarantees are broken, by simulation."""

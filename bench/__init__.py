"""Benchmarks of fastarac: speed against `np.sort` and other libraries, and peak memory.

``python -m bench`` prints the table of results; ``pytest bench`` times each benchmark alone; see
README.md.
"""

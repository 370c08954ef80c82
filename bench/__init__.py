"""How fast fastarac is: beside the floor, beside its peers, and in memory.

``python -m bench`` prints the table, ``pytest bench`` times each work alone; see README.md.
"""

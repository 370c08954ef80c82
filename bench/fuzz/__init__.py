"""Fuzzing: try thousands of crafted and damaged inputs with ``python -m bench.fuzz``.

A target is a module of this folder with a function ``attempt(rng)``, which makes one input out of the
random numbers that it is given, hands it to the library, and raises where that does anything but what
is promised. The first line of the module's docstring stands in the table. See ``running.py`` for how an
attempt is repeated and how memory is watched.
"""

"""Slow and simple versions of what `fa.operation` computes, in fractions and by full search."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def isotonic(correct, confidence):
    """Isotonic blocks (lowest confidence, items, errors) from the top, by the minimax formula."""
    values = sorted(set(confidence), reverse=True)
    n = [sum(c == v for c in confidence) for v in values]
    e = [sum(c == v and not y for y, c in zip(correct, confidence, strict=True)) for v in values]

    def rate(i, j):
        return Fraction(sum(e[i : j + 1]), sum(n[i : j + 1]))

    m = len(values)
    fitted = [max(min(rate(i, j) for j in range(k, m)) for i in range(k + 1)) for k in range(m)]
    blocks = []
    for k in range(m):
        if k and fitted[k] == fitted[k - 1]:
            _, items, errors, _ = blocks[-1]
            blocks[-1] = (values[k], items + n[k], errors + e[k], fitted[k])
        else:
            blocks.append((values[k], n[k], e[k], fitted[k]))
    return blocks


def tail(k, n, p):
    """P(Bin(n, p) <= k)."""
    return sum(Fraction(comb(n, i)) * p**i * (1 - p) ** (n - i) for i in range(min(k, n) + 1))

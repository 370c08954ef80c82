"""Alignment of words by dynamic programming over words: slow and simple, without library code.

The alignment with the lowest total cost is found, in characters to insert, delete or replace. A step
aligns a word with an output, a word or an output with nothing, or up to `LARGEST` words with one output
or the reverse; each space lost or gained costs one character.
"""

from __future__ import annotations

from functools import cache

LARGEST = 3
FURTHEST = 12  # words between the places of what can be aligned


@cache
def distance(a: str, b: str) -> int:
    """Levenshtein's."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(before + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[len(b)]


def steps(truth: list[str], outputs: list[str]) -> list[tuple[int, int, int, int]]:
    """The steps of the best alignment: begin and end in the truth, begin and end in the outputs."""
    shapes = [(1, 1), (1, 0), (0, 1)]
    shapes += [shape for k in range(2, LARGEST + 1) for shape in ((k, 1), (1, k))]
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for i in range(len(truth) + 1):
        for j in range(len(outputs) + 1):
            if abs(i * len(outputs) - j * len(truth)) > FURTHEST * len(truth) or i == j == 0:
                continue
            best[i, j] = min(
                (best[i - m, j - n][0] + cost(truth[i - m : i], outputs[j - n : j]), (m, n))
                for m, n in shapes
                if (i - m, j - n) in best
            )
    i, j = len(truth), len(outputs)
    found = []
    while i or j:
        m, n = best[i, j][1]
        found.append((i - m, i, j - n, j))
        i, j = i - m, j - n
    return found[::-1]


def cost(words: list[str], outputs: list[str]) -> float:
    """Number of characters to change in these words to get these outputs."""
    return distance("".join(words), "".join(outputs)) + max(len(words), len(outputs)) - 1


def items(truth: list[str], outputs: list[str], confidence: list[float]) -> list[tuple[bool, float]]:
    """(correct, confidence) for each true word that has an output, and for each inserted output."""
    found = []
    for i, k, j, m in steps(truth, outputs):
        if j == m:
            continue
        least = min(confidence[j:m])
        right = k - i == m - j == 1 and truth[i] == outputs[j]
        found += [(right, least)] * max(k - i, 1)
    return found


def longest_tiles(
    first: list[int], second: list[int], bits: list[float], needed: float
) -> list[tuple[int, int, int]]:
    """Greedy string tiling by brute force: all pairs of positions, in decreasing order of length."""
    free, others = [True] * len(first), [True] * len(second)
    found = []
    for length in range(min(len(first), len(second)), 0, -1):
        for i in range(len(first) - length + 1):
            for j in range(len(second) - length + 1):
                if (
                    first[i : i + length] == second[j : j + length]
                    and sum(bits[i : i + length]) >= needed
                    and all(free[i : i + length])
                    and all(others[j : j + length])
                ):
                    free[i : i + length] = others[j : j + length] = [False] * length
                    found.append((i, j, length))
    return found

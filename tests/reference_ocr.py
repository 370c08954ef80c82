"""Alignment of words by a dynamic program over words: slow, obvious, sharing nothing with the library.

The least sum of what single steps cost, in characters to insert, delete or replace: a word beside an
output; up to `LARGEST` words beside one output and the reverse, with a character for each space lost
or gained; a word or an output alone.
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
    """Begin and end among the true words, begin and end among the outputs, of each step."""
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
    """Characters to change in these words to make these outputs of them."""
    return distance("".join(words), "".join(outputs)) + max(len(words), len(outputs)) - 1


def items(truth: list[str], outputs: list[str], confidence: list[float]) -> list[tuple[bool, float]]:
    """Correct and confidence of each true word that has an output, and of each inserted output."""
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
    """Greedy string tiling by trying all pairs of places, for each length in turn."""
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

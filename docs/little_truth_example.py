"""A made-up engine that reads lines, a judge that looks at each, and people who know the truth."""

import csv
import sys
from pathlib import Path

import numpy as np

rng = np.random.default_rng(2025)


def outputs(n):
    confidence = rng.beta(3, 1, n)
    right = rng.random(n) >= 0.2 * (1 - confidence) ** 1.2 + 0.002
    judge = 1 / (1 + np.exp(-(rng.normal(size=n) + np.where(right, 4.5, 0.5))))
    return confidence.round(4), judge.round(4), right.astype(int)


def write(name, rows, header):
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


archive, today = outputs(20_000), outputs(20_000)
if len(sys.argv) == 1:  # make the files, without the truth
    for name, (confidence, judge, _) in {"archive": archive, "today": today}.items():
        write(f"{name}.csv", zip(confidence, judge, strict=True), ["confidence", "judge"])
else:  # be the people: fill in what is asked for
    right = (today if sys.argv[2:] else archive)[2]
    with Path(sys.argv[1]).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row.get("drawn", "1") == "1" or row.get("accepted") == "0":  # people see all rejected ones
            row["correct"] = right[int(row["row"]) - 1]
    write(sys.argv[1], [row.values() for row in rows], rows[0].keys())

"""Files of a made-up system that reads dates and names; its scanner breaks in the third week."""

import csv
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])  # that the files go into
rng = np.random.default_rng(2024)
ERRORS = {"date": 0.06, "name": 0.5}  # the error probability at confidence 0; it falls to 0 at 1


def outputs(n, broken=False):
    field = rng.choice(list(ERRORS), n)
    confidence = rng.beta(2, 1, n)
    wrong = rng.random(n) < np.where(field == "date", *ERRORS.values()) * (1 - confidence)
    if broken:  # stripes over a twentieth of the outputs, of which the confidence knows little
        struck = rng.random(n) < 0.05
        wrong |= struck
        confidence = np.where(struck, 0.9 * confidence, confidence)
    return field, confidence.round(4), ~wrong


def write(name, rows, header):
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


verified = zip(*outputs(4000), strict=True)
write("verified.csv", [(f, c, int(y)) for f, c, y in verified], ["field", "confidence", "correct"])
for week in (1, 2, 3, 4):
    found = list(zip(*outputs(10_000, broken=week > 2), strict=True))
    write(f"week-{week}.csv", [(f, c) for f, c, _ in found], ["field", "confidence"])
    audited = rng.choice(10_000, 500, replace=False)  # 5 %, accepted or not
    rows = [(f, c, int(y)) for f, c, y in (found[i] for i in audited)]
    write(f"audits-{week}.csv", rows, ["field", "confidence", "correct"])

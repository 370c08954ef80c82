"""Check another implementation against vectors.json. Needs Python 3.9 and nothing else.

python check.py --inputs                      print the inputs: input, correct, confidence, weight
python check.py --cases                       print what to compute: id, quantity, input, parameters
python check.py results.csv [tolerance]       check results: a header, then rows id, place, value

A result that is a list has places 0, 1, …; any other has the place 0. Undefined is an empty value. A
value may be off by the tolerance (1e-12 if there is none), relative where it is above 1.
"""

import csv
import json
import sys
from decimal import Decimal
from pathlib import Path


def read():
    """Return the inputs by name, and all cases: id, quantity, input, parameters, expected values."""
    path = Path(__file__).with_name("vectors.json")
    data = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    cases = []
    for quantity in data["quantities"]:
        for case in quantity["cases"]:
            result = case["result"]
            values = result if isinstance(result, list) else [result]
            expected = [None if value is None else Decimal(value["decimal"]) for value in values]
            cases.append((case["id"], quantity["name"], case["input"], case["parameters"], expected))
    return data["inputs"], cases


def agrees(text, expected, tolerance):
    """Whether a value, as it was written, is the expected one."""
    if expected is None or not text:
        return expected is None and not text
    value = Decimal(text)
    if not (value.is_finite() and expected.is_finite()):
        return value == expected
    return abs(value - expected) <= tolerance * max(1, abs(expected))


def check(path, tolerance):
    """Print what is missing or wrong; return how many values are not as expected."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        found = {(row["id"], row["place"]): row["value"] for row in csv.DictReader(file)}
    bad = total = 0
    for number, quantity, name, parameters, expected in read()[1]:
        for place, value in enumerate(expected):
            total += 1
            text = found.get((str(number), str(place)))
            if text is None or not agrees(text, value, tolerance):
                bad += 1
                print(f"{number}: {quantity} of {name!r}, {parameters}: {text} for {value}")
    print(f"{total - bad} of {total} values agree")
    return bad


def main(arguments):
    """Do what the first argument says."""
    write = csv.writer(sys.stdout).writerow
    if arguments == ["--inputs"]:
        write(["input", "correct", "confidence", "weight"])
        for name, columns in read()[0].items():
            weights = columns.get("weight", [1] * len(columns["correct"]))
            for row in zip(columns["correct"], columns["confidence"], weights):  # noqa: B905
                write([name, *row])
    elif arguments == ["--cases"]:
        write(["id", "quantity", "input", "parameters"])
        for number, quantity, name, parameters, _ in read()[1]:
            write([number, quantity, name, json.dumps(parameters, default=float)])
    elif len(arguments) in (1, 2):
        tolerance = Decimal(arguments[1] if len(arguments) == 2 else "1e-12")
        return int(check(arguments[0], tolerance) > 0)
    else:
        print(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

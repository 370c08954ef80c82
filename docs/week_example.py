"""Made-up invoices and pages, and the people who verify what two engines read in them.

python week_example.py KIND                             the files for the decision, with their truth
python week_example.py KIND new WEEK                    the new files of a week
python week_example.py KIND answer WEEK FOLDER          what people answer
python week_example.py KIND WEEKS POLICY FOLDER BUDGET  all of it, for weeks such as 2-10

KIND is "invoices" or "pages". From week 6 on, errors are more frequent at each confidence.
"""

import csv
import json
import sys
from pathlib import Path

import numpy as np

import fastarac as fa

FIELDS = {  # the names of Azure, and of Textract
    "VendorName": "VENDOR_NAME",
    "InvoiceId": "INVOICE_RECEIPT_ID",
    "InvoiceDate": "INVOICE_RECEIPT_DATE",
    "InvoiceTotal": "TOTAL",
}
COLUMNS = "level page_num block_num par_num line_num word_num left top width height conf text"
SYLLABLES = ["ba", "den", "fer", "gi", "hol", "ka", "li", "mon", "ra", "stein", "tor", "wald"]


def read(rng, truth, engine, week):
    """Return the text that an engine reads, and its confidence."""
    confidence = round(float(rng.beta(9, 1)), 3)
    often = {"azure": 0.5, "textract": 0.8, "first": 0.6, "second": 1.0}[engine]
    if week > 5:
        often *= {"azure": 4, "first": 6}[engine]
    if rng.random() > often * (1 - confidence) ** 1.5:
        return truth, confidence
    place = int(rng.integers(len(truth)))
    other = rng.choice([sign for sign in "abcdeilmnorst0123456789" if sign != truth[place]])
    return truth[:place] + str(other) + truth[place + 1 :], confidence


def invoices(week, n, engines):
    """Write n invoices as the engines read them; return the true values by document and field."""
    truth = {}
    for i in range(n):
        rng, name = np.random.default_rng([week, i]), f"{week:02}-{i:04}"
        total = f"{rng.integers(10, 9999)}.{rng.integers(10, 99)}"
        date = f"2026-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}"
        values = f"Firm {rng.integers(500)}", f"R-{rng.integers(10_000, 99_999)}", date, total
        truth |= {(name, field): value for field, value in zip(FIELDS, values, strict=True)}
        for engine, folder in engines.items():
            found = [read(rng, value, engine, week) for value in values]
            write = azure if engine == "azure" else textract
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.json").write_text(json.dumps(write(found)))
    return truth


def azure(found):
    fields = {
        name: {"type": "string", "valueString": text, "content": text, "confidence": confidence}
        for name, (text, confidence) in zip(FIELDS, found, strict=True)
    }
    return {"analyzeResult": {"modelId": "prebuilt-invoice", "documents": [{"fields": fields}]}}


def textract(found):
    fields = [
        {"Type": {"Text": name}, "ValueDetection": {"Text": text, "Confidence": 100 * confidence}}
        for name, (text, confidence) in zip(FIELDS.values(), found, strict=True)
    ]
    return {"ExpenseDocuments": [{"SummaryFields": fields, "LineItemGroups": []}]}


def pages(week, n, engines):
    """Write n pages as the engines read them; return the true words by page and number."""
    truth = {}
    for i in range(n):
        rng, name = np.random.default_rng([week, i]), f"{week:02}-{i:03}"
        words = ["".join(rng.choice(SYLLABLES, 3)) for _ in range(40)]
        truth |= {(name, number): word for number, word in enumerate(words)}
        for engine, folder in engines.items():
            lines = [
                "level page_num block_num par_num line_num word_num left top width height conf text"
            ]
            for k, word in enumerate(words):
                text, confidence = read(rng, word, engine, week)
                line, column = divmod(k, 10)
                where = f"5 1 1 1 {line + 1} {column + 1} {20 + 90 * column} {20 + 40 * line} 80 30"
                lines.append(f"{where} {100 * confidence:.1f} {text}")
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.tsv").write_text("\n".join(lines).replace(" ", "\t") + "\n")
    return truth


def is_right(row, truth):
    if "field" in row:
        return row["prediction"] == truth[row["document"], row["field"]]
    return row["text"] == truth[row["page"], int(row["number"]) - 1]


def reference(kind):
    """Write the files for the decision, with their truth."""
    if kind == "invoices":
        truth = invoices(0, 1500, {name: Path(name) for name in ("azure", "textract")})
        documents = {}
        for (name, field), value in truth.items():
            documents.setdefault(name, {"document": name})[field] = value
        lines = [json.dumps(each) for each in documents.values()]
        Path("truth.jsonl").write_text("\n".join(lines) + "\n")
        return
    truth = pages(0, 300, {name: Path(name) for name in ("first", "second")})
    Path("truth").mkdir()
    for page in {name for name, _ in truth}:
        words = [word for (name, _), word in truth.items() if name == page]
        rows = [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
        Path("truth", f"{page}.txt").write_text("\n".join(rows) + "\n")


def new_files(kind, week):
    """Write the new files of a week into new-WEEK; return their truth."""
    folder = Path(f"new-{week:02}")
    return (
        invoices(week, 400, {"azure": folder})
        if kind == "invoices"
        else pages(week, 60, {"first": folder})
    )


def answer(folder, truth):
    """Answer the audits and the review of a week; return the accepted rows that are wrong."""
    for name in ("audits.csv", "review.csv"):
        with (folder / name).open(newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["correct"] = int(is_right(row, truth))
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([rows[0].keys(), *(row.values() for row in rows)])
    with (folder / "accepted.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if not is_right(row, truth)]


def true_rate(wrong, truth):
    """The share of all documents, or of all words, that are accepted and wrong."""
    if wrong and "document" in wrong[0]:
        return len({row["document"] for row in wrong}) / len({name for name, _ in truth})
    return len(wrong) / len(truth)


def run(kind, weeks, policy, folder, budget):
    """Run weeks, such as 2-10, until one says to stop."""
    first, _, last = weeks.partition("-")
    for week in range(int(first), int(last or first) + 1):
        truth = new_files(kind, week)
        found = fa.weeks.run_week(policy, [f"new-{week:02}"], folder, budget=budget)
        rate = true_rate(answer(Path(found.folder), truth), truth)
        audits = "none yet" if found.rate is None else f"{found.rate.low:.2%} to {found.rate.high:.2%}"
        print(f"week {week:2}: true error rate {rate:6.2%}; by audits so far {audits}; "
              f"{'go on' if found.go_on else 'STOP'}")  # fmt: skip
        if not found.go_on:
            break


kind, *task = sys.argv[1:]
if not task:
    reference(kind)
elif task[0] == "new":
    new_files(kind, int(task[1]))
elif task[0] == "answer":
    truth = new_files(kind, int(task[1]))
    print(
        f"week {int(task[1]):2}: true error rate {true_rate(answer(Path(task[2]), truth), truth):6.2%}"
    )
else:
    run(kind, task[0], fa.operation.Policy.load(task[1]), task[2], float(task[3]))

"""The note of fields that an engine never finds."""

import pytest

from fastarac.answers import missing_fields

ADVICE = "in the file of --settings."


@pytest.mark.parametrize(
    ("never", "others", "said"),
    [
        ({}, ["taxId"], None),
        (
            {"tax_id": 4000},
            ["vendor", "TaxID"],
            (
                "tax_id is never found (4,000 true values). If the engine has another name for it, "
                f"such as TaxID, rename it {ADVICE}"
            ),
        ),
        (
            {"tax_id": 5},
            ["total"],
            (
                "tax_id is never found (5 true values). If the engine has another name for it, "
                f"rename it {ADVICE}"
            ),
        ),
        (
            dict.fromkeys(["a", "po", "due_date", "vat"], 9),
            ["DueDate"],
            (
                "4 fields are never found: a, po, due_date and 1 more. If the engine has other names "
                f"for them, such as DueDate, rename them {ADVICE}"
            ),
        ),
    ],
)
def test_what_is_said(never, others, said):
    assert missing_fields.note(never, others) == said

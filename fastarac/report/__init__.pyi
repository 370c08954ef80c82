"""The public names of the module, one line each."""

from .operation import write_operation_report as write_operation_report
from .review import write_review_pages as write_review_pages
from .writing import write_report as write_report

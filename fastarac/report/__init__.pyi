"""The public names of the module, one line each."""

from .writing import write_report as write_report

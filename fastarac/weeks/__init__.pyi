"""The public names of the module, one line each."""

from .running import run_week as run_week

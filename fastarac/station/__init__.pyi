"""The public names of the module, one line each."""

from .page import write_station as write_station

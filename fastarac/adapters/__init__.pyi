"""The modules, one line each."""

from . import inspect_ai as inspect_ai
from . import lm_eval as lm_eval
from . import mlflow as mlflow
from . import torchmetrics as torchmetrics

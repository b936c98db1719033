"""Optimizers beside those of `proa.optimizer`."""

from proa.optimizer import LBFGS as LBFGS

from . import functional as functional
from ._look_ahead import LookAhead as LookAhead
from ._model_average import ModelAverage as ModelAverage

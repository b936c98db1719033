"""Optimizers beside those of `proa.optimizer`."""

from ._look_ahead import LookAhead as LookAhead
from ._model_average import ModelAverage as ModelAverage

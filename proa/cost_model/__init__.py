"""Costs of static programs, under the name of `paddle.cost_model`."""

from ._cost_model import CostModel as CostModel

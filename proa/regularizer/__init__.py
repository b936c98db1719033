"""Regularizers: penalties that an optimizer adds to gradients."""

from __future__ import annotations

from ._decay import L1Decay as L1Decay
from ._decay import L2Decay as L2Decay
from ._decay import WeightDecayRegularizer as WeightDecayRegularizer

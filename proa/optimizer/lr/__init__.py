"""Learning-rate schedules."""

from __future__ import annotations

from ._cycle import CosineAnnealingDecay as CosineAnnealingDecay
from ._cycle import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from ._cycle import CyclicLR as CyclicLR
from ._cycle import LinearLR as LinearLR
from ._cycle import OneCycleLR as OneCycleLR
from ._decay import ExponentialDecay as ExponentialDecay
from ._decay import InverseTimeDecay as InverseTimeDecay
from ._decay import LambdaDecay as LambdaDecay
from ._decay import MultiplicativeDecay as MultiplicativeDecay
from ._decay import MultiStepDecay as MultiStepDecay
from ._decay import NaturalExpDecay as NaturalExpDecay
from ._decay import NoamDecay as NoamDecay
from ._decay import PiecewiseDecay as PiecewiseDecay
from ._decay import PolynomialDecay as PolynomialDecay
from ._decay import StepDecay as StepDecay
from ._plateau import ReduceOnPlateau as ReduceOnPlateau
from ._scheduler import LRScheduler as LRScheduler
from ._warmup import LinearWarmup as LinearWarmup

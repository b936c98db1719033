"""Optimizers, parameter groups and learning-rate schedules."""

from __future__ import annotations

from . import lr as lr
from ._adam import Adam as Adam
from ._adam import Adamax as Adamax
from ._adam import AdamW as AdamW
from ._adam import Lamb as Lamb
from ._adam import NAdam as NAdam
from ._adam import RAdam as RAdam
from ._adaptive import Adadelta as Adadelta
from ._adaptive import Adagrad as Adagrad
from ._adaptive import RMSProp as RMSProp
from ._gradient import ASGD as ASGD
from ._gradient import SGD as SGD
from ._gradient import Momentum as Momentum
from ._gradient import Rprop as Rprop
from ._lbfgs import LBFGS as LBFGS
from ._optimizer import Optimizer as Optimizer
from ._rules import Rule as Rule
from ._rules import Slot as Slot

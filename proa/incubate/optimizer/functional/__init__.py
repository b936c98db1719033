"""Minimisation of functions."""

from ._minimize import minimize_bfgs as minimize_bfgs
from ._minimize import minimize_lbfgs as minimize_lbfgs

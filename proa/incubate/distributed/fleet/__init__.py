"""Recomputation, and Paddle's server helpers by name."""

from . import fleet_util as fleet_util
from . import utils as utils
from ._recompute import recompute_hybrid as recompute_hybrid
from ._recompute import recompute_sequential as recompute_sequential

"""The random stream, under the names of `paddle.random`."""

from proa.core import get_rng_state as get_rng_state
from proa.core import seed as seed
from proa.core import set_rng_state as set_rng_state

from ._seed import initial_seed as initial_seed

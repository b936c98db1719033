"""The tour: the main job in small, on real data, from the first check to a verified model."""

from ._steps import run_tour as run_tour
from ._verify import verify_run as verify_run

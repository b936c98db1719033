"""Helpers of Paddle's parameter servers, which refuse."""

from ._util import FleetUtil as FleetUtil
from ._util import GPUPSUtil as GPUPSUtil

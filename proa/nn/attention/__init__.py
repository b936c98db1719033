"""Choosing among attention kernels, as in Paddle; XLA compiles one form of attention."""

from ._kernels import SDPBackend as SDPBackend
from ._kernels import sdp_kernel as sdp_kernel
from ._kernels import sdpa_kernel as sdpa_kernel

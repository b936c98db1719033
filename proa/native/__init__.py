"""Native room: kernels for XLA's CPU backend, compiled on the machine that runs them."""

from ._library import describe_kernels as describe_kernels
from ._library import has_kernels as has_kernels
from ._memory import describe_huge_pages as describe_huge_pages
from ._primitive import bilinear_primitive as bilinear_primitive
from ._primitive import forward_primitive as forward_primitive
from ._primitive import kernel_call as kernel_call

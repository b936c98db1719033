"""Fused operations."""

from ._matmul import by_register as by_register
from ._matmul import matmul as matmul

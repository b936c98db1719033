"""Tensors to and from other libraries without a copy."""

from proa.ops import from_dlpack as from_dlpack
from proa.ops import to_dlpack as to_dlpack

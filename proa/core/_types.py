"""Names that op functions are annotated with; the registry reads them as text."""

from __future__ import annotations

from collections.abc import Sequence as Sequence
from typing import Any as Any

import jax

from ._dtype import DType as DType

Array = jax.Array
Index = jax.Array
Key = jax.Array
Axis = int | tuple[int, ...]
Ints = int | tuple[int, ...]
Shape = tuple[Any, ...]

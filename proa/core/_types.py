"""Names that op functions are annotated with; the registry reads them as text."""

from __future__ import annotations

from collections.abc import Sequence as Sequence
from typing import Any as Any
from typing import TypeAlias

import jax

from ._dtype import DType as DType

Array: TypeAlias = jax.Array
Index: TypeAlias = jax.Array
Key: TypeAlias = jax.Array
Axis = int | tuple[int, ...]
Ints = int | tuple[int, ...]
Shape = tuple[Any, ...]

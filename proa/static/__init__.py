"""Static room: descriptions of inputs (the rest of the static API is not built yet)."""

from proa.program import InputSpec as InputSpec

from . import nn as nn
from ._mode import disable_static as disable_static
from ._mode import enable_static as enable_static

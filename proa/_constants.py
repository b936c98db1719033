"""Numbers under Paddle's names."""

from __future__ import annotations

import math

e = math.e
inf = math.inf
nan = math.nan
pi = math.pi
newaxis = None

"""The chi-squared distribution, by the path that Paddle has it under."""

from __future__ import annotations

from proa.distribution._gamma import Chi2 as Chi2

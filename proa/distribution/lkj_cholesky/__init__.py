"""The distribution of Cholesky factors, by the path that Paddle has it under."""

from __future__ import annotations

from proa.distribution._lkj_cholesky import LKJCholesky as LKJCholesky

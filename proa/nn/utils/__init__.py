"""Helpers around layers and their gradients."""

from __future__ import annotations

from ._clip import clip_grad_norm_ as clip_grad_norm_
from ._clip import clip_grad_value_ as clip_grad_value_

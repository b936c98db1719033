"""Divergences between distributions."""

from __future__ import annotations

from proa.distribution._kl import kl_exponential_family as kl_exponential_family
from proa.distribution._kl_registry import kl_divergence as kl_divergence
from proa.distribution._kl_registry import register_kl as register_kl

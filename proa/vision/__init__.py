"""Images: data sets, and what models of vision need."""

from __future__ import annotations

from . import datasets as datasets

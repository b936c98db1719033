"""`python -m proa.cli` is `proa`."""

from __future__ import annotations

from proa.cli import main

main()

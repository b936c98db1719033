"""`python -m proa.cli` is `proa`."""

from proa.cli import main

main()

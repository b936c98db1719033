"""`python -m proa.compat script.py ARGS`."""

from __future__ import annotations

import sys

from ._run import main

sys.exit(main())

"""Stands on PYTHONPATH in processes that `python -m proa.compat` started: installs the alias."""

from __future__ import annotations

import sys

if __name__ == "paddle":
    # Out of the way, so that it is not taken for the real Paddle.
    del sys.modules["paddle"]

    from proa.compat import install

    install()

"""`python -m proa.distributed.launch --nproc_per_node 2 train.py`."""

from __future__ import annotations

import sys

from . import launch

if __name__ == "__main__":
    sys.exit(launch())

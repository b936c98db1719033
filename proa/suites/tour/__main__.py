"""The tour's training script alone: `python -m proa.suites.tour --mode data`."""

from __future__ import annotations

import argparse

from ._training import run_script

parser = argparse.ArgumentParser(prog="python -m proa.suites.tour", description=__doc__)
parser.add_argument("--mode", choices=("single", "data", "tensor"), default="single")
parser.add_argument("--out", default="losses.json", help="where the losses go")
parser.add_argument("--epochs", type=int, default=8)
parser.add_argument("--steps", type=int, default=None, help="stop after so many steps")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--data", default=None, help="folder of the data, or 'bundled'")
run_script(parser.parse_args())

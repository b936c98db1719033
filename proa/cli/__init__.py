"""Command line room: `proa check`, `proa tour`, `proa verify`."""

from ._main import app as app
from ._main import main as main

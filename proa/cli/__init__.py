"""Command line room: `proa check`, `tour`, `verify`, `infer`, `bench`, `program`, `convert`."""

from ._main import app as app
from ._main import main as main

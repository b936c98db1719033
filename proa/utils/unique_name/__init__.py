"""Counters that give layers and parameters their names."""

from ._generator import Generator as Generator
from ._generator import generate as generate
from ._generator import guard as guard
from ._generator import switch as switch

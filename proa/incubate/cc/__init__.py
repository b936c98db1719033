"""Compiled functions under the names of `paddle.incubate.cc`; XLA is the compiler."""

from . import compiler as compiler
from . import fuse as fuse
from . import typing as typing
from .compiler import compile as compile

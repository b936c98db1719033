"""Compilation of functions."""

from ._compile import compile as compile

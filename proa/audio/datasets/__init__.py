"""Data sets of recordings, read from local folders."""

from ._folders import ESC50 as ESC50
from ._folders import TESS as TESS

"""Proa's version."""

from ._version import commit as commit
from ._version import full_version as full_version
from ._version import major as major
from ._version import minor as minor
from ._version import patch as patch
from ._version import show as show

"""Helpers around the platform: unique names, deprecation, optional modules, versions."""

from . import unique_name as unique_name
from ._deprecated import deprecated as deprecated
from ._require_version import require_version as require_version
from ._try_import import try_import as try_import

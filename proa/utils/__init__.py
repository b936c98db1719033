"""Helpers around the platform: unique names, deprecation, optional modules, versions."""

from . import dlpack as dlpack
from . import download as download
from . import unique_name as unique_name
from ._check import CheckItem as CheckItem
from ._check import check_installation as check_installation
from ._check import loaded_libraries as loaded_libraries
from ._check import run_check as run_check
from ._deprecated import deprecated as deprecated
from ._memory import check_memory as check_memory
from ._require_version import require_version as require_version
from ._signal_handler import disable_signal_handler as disable_signal_handler
from ._try_import import try_import as try_import

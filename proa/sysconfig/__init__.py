"""Where headers and libraries for native extensions lie."""

from ._folders import get_include as get_include
from ._folders import get_lib as get_lib

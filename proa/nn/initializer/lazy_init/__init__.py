"""Parameters whose initial values are drawn later."""

from ._guard import LazyGuard as LazyGuard
from ._guard import is_lazy as is_lazy

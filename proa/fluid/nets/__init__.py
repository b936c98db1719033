"""Groups of layers of Paddle 1; each name tells once what to use instead."""

from ._names import __dir__ as __dir__
from ._names import __getattr__ as __getattr__

"""Names of `paddle.base` that user code asks for; each tells once what to use instead."""

from . import core as core
from . import data_feeder as data_feeder
from . import dygraph as dygraph
from . import framework as framework
from ._names import __dir__ as __dir__
from ._names import __getattr__ as __getattr__

"""What tutorials for Paddle 1 use: old names, each of which tells once what to use instead."""

from . import clip as clip
from . import core as core
from . import dygraph as dygraph
from . import framework as framework
from . import initializer as initializer
from . import io as io
from . import layers as layers
from . import nets as nets
from . import optimizer as optimizer
from . import regularizer as regularizer
from ._names import __dir__ as __dir__
from ._names import __getattr__ as __getattr__

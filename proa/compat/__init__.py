"""Compat room: what other conventions need.

`install` makes the import name `paddle` mean Proa. The functions, and the room `nn`, are those of
`paddle.compat`: PyTorch's arguments and results, where they differ from Paddle's.
"""

from . import nn as nn
from ._alias import install as install
from ._alias import is_installed as is_installed
from ._alias import uninstall as uninstall
from ._functions import equal as equal
from ._functions import max as max
from ._functions import median as median
from ._functions import min as min
from ._functions import nanmedian as nanmedian
from ._functions import seed as seed
from ._functions import slogdet as slogdet
from ._functions import sort as sort
from ._functions import split as split
from ._functions import unique as unique
from ._run import run_module as run_module
from ._run import run_script as run_script
from ._torch_name import disable_compat as disable_compat
from ._torch_name import enable_compat as enable_compat

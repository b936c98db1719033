"""Initial values of parameters."""

from . import lazy_init as lazy_init
from ._base import Initializer as Initializer
from ._given import Assign as Assign
from ._given import Constant as Constant
from ._global import set_global_initializer as set_global_initializer
from ._random import Normal as Normal
from ._random import TruncatedNormal as TruncatedNormal
from ._random import Uniform as Uniform
from ._scaled import KaimingNormal as KaimingNormal
from ._scaled import KaimingUniform as KaimingUniform
from ._scaled import XavierNormal as XavierNormal
from ._scaled import XavierUniform as XavierUniform
from ._scaled import calculate_gain as calculate_gain
from ._structured import Bilinear as Bilinear
from ._structured import Dirac as Dirac
from ._structured import Orthogonal as Orthogonal

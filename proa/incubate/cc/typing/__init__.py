"""Words for dimensions and dtypes of compiled functions."""

from ._variables import DimVar as DimVar
from ._variables import DTypeVar as DTypeVar
from ._variables import Tensor as Tensor

"""Words for dimensions and dtypes of compiled functions."""

from proa.core import Tensor as Tensor

from ._variables import DimVar as DimVar
from ._variables import DTypeVar as DTypeVar

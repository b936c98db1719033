"""Transforms: maps of random numbers with a known change of volume."""

from __future__ import annotations

from proa.distribution._transform import Transform as Transform
from proa.distribution._transform import Type as Type
from proa.distribution._transform_combined import ChainTransform as ChainTransform
from proa.distribution._transform_combined import IndependentTransform as IndependentTransform
from proa.distribution._transform_combined import StackTransform as StackTransform
from proa.distribution._transform_elementwise import AbsTransform as AbsTransform
from proa.distribution._transform_elementwise import AffineTransform as AffineTransform
from proa.distribution._transform_elementwise import ExpTransform as ExpTransform
from proa.distribution._transform_elementwise import PowerTransform as PowerTransform
from proa.distribution._transform_elementwise import SigmoidTransform as SigmoidTransform
from proa.distribution._transform_elementwise import TanhTransform as TanhTransform
from proa.distribution._transform_shape import ReshapeTransform as ReshapeTransform
from proa.distribution._transform_shape import SoftmaxTransform as SoftmaxTransform
from proa.distribution._transform_shape import StickBreakingTransform as StickBreakingTransform

"""Probability distributions, transforms of them, and divergences between them."""

from __future__ import annotations

from . import chi2 as chi2
from . import kl as kl
from . import lkj_cholesky as lkj_cholesky
from . import transform as transform
from ._bernoulli import Bernoulli as Bernoulli
from ._bernoulli import ContinuousBernoulli as ContinuousBernoulli
from ._bernoulli import Geometric as Geometric
from ._categorical import Categorical as Categorical
from ._categorical import Multinomial as Multinomial
from ._counts import Binomial as Binomial
from ._counts import Poisson as Poisson
from ._distribution import Distribution as Distribution
from ._distribution import ExponentialFamily as ExponentialFamily
from ._gamma import Chi2 as Chi2
from ._gamma import Exponential as Exponential
from ._gamma import Gamma as Gamma
from ._gumbel import Gumbel as Gumbel
from ._kl_registry import kl_divergence as kl_divergence
from ._kl_registry import register_kl as register_kl
from ._lkj_cholesky import LKJCholesky as LKJCholesky
from ._location_scale import Cauchy as Cauchy
from ._location_scale import Laplace as Laplace
from ._location_scale import StudentT as StudentT
from ._location_scale import Uniform as Uniform
from ._multivariate import MultivariateNormal as MultivariateNormal
from ._normal import LogNormal as LogNormal
from ._normal import Normal as Normal
from ._simplex import Beta as Beta
from ._simplex import Dirichlet as Dirichlet
from ._transform import Transform as Transform
from ._transform_combined import ChainTransform as ChainTransform
from ._transform_combined import IndependentTransform as IndependentTransform
from ._transform_combined import StackTransform as StackTransform
from ._transform_elementwise import AbsTransform as AbsTransform
from ._transform_elementwise import AffineTransform as AffineTransform
from ._transform_elementwise import ExpTransform as ExpTransform
from ._transform_elementwise import PowerTransform as PowerTransform
from ._transform_elementwise import SigmoidTransform as SigmoidTransform
from ._transform_elementwise import TanhTransform as TanhTransform
from ._transform_shape import ReshapeTransform as ReshapeTransform
from ._transform_shape import SoftmaxTransform as SoftmaxTransform
from ._transform_shape import StickBreakingTransform as StickBreakingTransform
from ._transformed import Independent as Independent
from ._transformed import TransformedDistribution as TransformedDistribution

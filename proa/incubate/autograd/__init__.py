"""Derivatives of functions."""

from proa.autograd import jvp as jvp
from proa.autograd import vjp as vjp

from ._functional import Hessian as Hessian
from ._functional import Jacobian as Jacobian
from ._functional import forward_grad as forward_grad
from ._functional import grad as grad
from ._primitives import disable_prim as disable_prim
from ._primitives import enable_prim as enable_prim
from ._primitives import prim2orig as prim2orig
from ._primitives import prim_enabled as prim_enabled

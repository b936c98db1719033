"""Gradients under the names of `paddle.autograd.ir_backward`."""

from proa.core import grad as grad

from ._calculate import calc_gradient as calc_gradient
from ._calculate import calc_gradient_helper as calc_gradient_helper

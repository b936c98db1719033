"""Gradients: the shell over the tape, with Paddle's API."""

from proa.core import enable_grad as enable_grad
from proa.core import grad as grad
from proa.core import is_grad_enabled as is_grad_enabled
from proa.core import no_grad as no_grad
from proa.core import set_grad_enabled as set_grad_enabled

from . import ir_backward as ir_backward
from ._backward import backward as backward
from ._functional import hessian as hessian
from ._functional import jacobian as jacobian
from ._functional import jvp as jvp
from ._functional import vjp as vjp
from ._py_layer import Function as Function
from ._py_layer import PyLayer as PyLayer
from ._py_layer import PyLayerContext as PyLayerContext
from ._saved_hooks import saved_tensors_hooks as saved_tensors_hooks

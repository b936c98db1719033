"""Helpers around layers and their gradients."""

from __future__ import annotations

from ._clip import clip_grad_norm_ as clip_grad_norm_
from ._clip import clip_grad_value_ as clip_grad_value_
from ._reparametrise import remove_weight_norm as remove_weight_norm
from ._reparametrise import spectral_norm as spectral_norm
from ._reparametrise import weight_norm as weight_norm
from ._vector import parameters_to_vector as parameters_to_vector
from ._vector import vector_to_parameters as vector_to_parameters

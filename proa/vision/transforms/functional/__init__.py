"""Transforms as functions of a PIL image, an array or a Tensor."""

from __future__ import annotations

from ._colour import adjust_brightness as adjust_brightness
from ._colour import adjust_contrast as adjust_contrast
from ._colour import adjust_hue as adjust_hue
from ._colour import adjust_saturation as adjust_saturation
from ._colour import normalize as normalize
from ._colour import to_grayscale as to_grayscale
from ._colour import to_tensor as to_tensor
from ._geometry import center_crop as center_crop
from ._geometry import crop as crop
from ._geometry import erase as erase
from ._geometry import hflip as hflip
from ._geometry import pad as pad
from ._geometry import resize as resize
from ._geometry import vflip as vflip
from ._kinds import _is_numpy_image as _is_numpy_image
from ._kinds import _is_pil_image as _is_pil_image
from ._kinds import _is_tensor_image as _is_tensor_image
from ._warp import affine as affine
from ._warp import perspective as perspective
from ._warp import rotate as rotate

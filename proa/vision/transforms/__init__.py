"""Transforms of images: PIL images, arrays `[h, w(, c)]`, tensors `[c, h, w]`."""

from __future__ import annotations

from . import functional as functional
from ._base import BaseTransform as BaseTransform
from ._base import Compose as Compose
from ._fixed import CenterCrop as CenterCrop
from ._fixed import Grayscale as Grayscale
from ._fixed import Normalize as Normalize
from ._fixed import Pad as Pad
from ._fixed import Resize as Resize
from ._fixed import ToTensor as ToTensor
from ._fixed import Transpose as Transpose
from ._random_colour import BrightnessTransform as BrightnessTransform
from ._random_colour import ColorJitter as ColorJitter
from ._random_colour import ContrastTransform as ContrastTransform
from ._random_colour import HueTransform as HueTransform
from ._random_colour import SaturationTransform as SaturationTransform
from ._random_geometry import RandomAffine as RandomAffine
from ._random_geometry import RandomCrop as RandomCrop
from ._random_geometry import RandomErasing as RandomErasing
from ._random_geometry import RandomHorizontalFlip as RandomHorizontalFlip
from ._random_geometry import RandomPerspective as RandomPerspective
from ._random_geometry import RandomResizedCrop as RandomResizedCrop
from ._random_geometry import RandomRotation as RandomRotation
from ._random_geometry import RandomVerticalFlip as RandomVerticalFlip
from .functional import adjust_brightness as adjust_brightness
from .functional import adjust_contrast as adjust_contrast
from .functional import adjust_hue as adjust_hue
from .functional import adjust_saturation as adjust_saturation
from .functional import affine as affine
from .functional import center_crop as center_crop
from .functional import crop as crop
from .functional import erase as erase
from .functional import hflip as hflip
from .functional import normalize as normalize
from .functional import pad as pad
from .functional import perspective as perspective
from .functional import resize as resize
from .functional import rotate as rotate
from .functional import to_grayscale as to_grayscale
from .functional import to_tensor as to_tensor
from .functional import vflip as vflip

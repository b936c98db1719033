"""What VGG is built of, for models of one's own."""

from __future__ import annotations

from proa.vision.models._vgg import VGG as VGG
from proa.vision.models._vgg import make_layers as make_layers

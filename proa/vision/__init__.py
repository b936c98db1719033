"""Images: data sets, transforms, and models."""

from __future__ import annotations

from . import datasets as datasets
from . import models as models
from . import ops as ops
from . import transforms as transforms

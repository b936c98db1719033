"""Images: data sets, and models."""

from __future__ import annotations

from . import datasets as datasets
from . import models as models

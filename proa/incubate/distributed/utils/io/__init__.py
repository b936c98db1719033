"""Saving of models that are spread over devices."""

from . import dist_save as dist_save
from . import save_for_auto as save_for_auto
from ._save import save as save
from ._save import save_for_auto_inference as save_for_auto_inference

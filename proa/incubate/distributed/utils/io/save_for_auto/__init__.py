"""Saving for inference, under Paddle's name of the module."""

from proa.incubate.distributed.utils.io._save import (
    save_for_auto_inference as save_for_auto_inference,
)

"""Automatic tuning."""

from ._config import set_config as set_config

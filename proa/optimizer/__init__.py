"""Optimizers, parameter groups and learning-rate schedules."""

from __future__ import annotations

from . import lr as lr

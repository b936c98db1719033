"""Compilation for inference, where Paddle has it."""

from proa.incubate._inference import inference as inference

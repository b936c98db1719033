"""Inference room: an artifact compiled ahead of time, callable from many threads."""

from ._config import Config as Config
from ._predictor import Predictor as Predictor
from ._predictor import TensorHandle as TensorHandle
from ._predictor import create_predictor as create_predictor

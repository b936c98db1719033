"""Programs of Proa as ONNX models."""

from ._model import OPSETS as OPSETS
from ._model import artifact_to_onnx as artifact_to_onnx
from ._model import import_onnx as import_onnx

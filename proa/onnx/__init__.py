"""ONNX room: models as files that other runtimes read."""

from ._export import export as export

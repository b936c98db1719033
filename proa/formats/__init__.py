"""Formats room: Programs and weights in files, Proa's own artifact and those of others."""

from ._artifact import ROLES as ROLES
from ._artifact import Artifact as Artifact
from ._artifact import artifact_path as artifact_path
from ._artifact import check_artifact as check_artifact
from ._artifact import read_artifact as read_artifact
from ._artifact import write_artifact as write_artifact
from ._manifest import make_manifest as make_manifest
from ._read_model import read_model as read_model
from ._trainable import trainable_names as trainable_names
from .onnx import OPSETS as OPSETS
from .onnx import artifact_to_onnx as artifact_to_onnx
from .onnx import import_onnx as import_onnx
from .paddle import paddle_ops as paddle_ops
from .paddle import read_paddle as read_paddle
from .pir import check_format as check_format
from .pir import write_paddle as write_paddle

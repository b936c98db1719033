"""Inference room: an artifact compiled ahead of time, callable from many threads."""

from ._autotune import Choice as Choice
from ._config import Config as Config
from ._convert import convert_to_mixed_precision as convert_to_mixed_precision
from ._engines import ENGINES as ENGINES
from ._handle import Tensor as Tensor
from ._memory import MemoryLimitError as MemoryLimitError
from ._memory import resident_bytes as resident_bytes
from ._names import _get_phi_kernel_name as _get_phi_kernel_name
from ._optimise import PassBuilder as PassBuilder
from ._predictor import Predictor as Predictor
from ._predictor import PredictorPool as PredictorPool
from ._predictor import create_predictor as create_predictor
from ._throughput import Load as Load
from ._throughput import measure_load as measure_load
from ._types import DataType as DataType
from ._types import PlaceType as PlaceType
from ._types import PrecisionType as PrecisionType
from ._types import XpuConfig as XpuConfig
from ._types import get_num_bytes_of_data_type as get_num_bytes_of_data_type
from ._types import get_trt_compile_version as get_trt_compile_version
from ._types import get_trt_runtime_version as get_trt_runtime_version
from ._types import get_version as get_version

"""What Paddle's options mean here, as far as they mean something."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proa.core import InvalidArgumentError, UnsupportedError, as_place

from ._options import UniformOptions
from ._shape_ranges import read_shapes
from ._source import Source, as_source
from ._types import PrecisionType, precision_name


class _Models(UniformOptions):
    """The model's files."""

    source: Source

    def model_dir(self) -> str:
        """Returns the folder of an old model; empty for others."""
        path = self.source.path
        return str(path) if path is not None and path.is_dir() else ""

    def prog_file(self) -> str:
        """Returns the path of the program; empty when none is set, or for a folder."""
        path = self.source.path
        return "" if path is None or path.is_dir() else str(path)

    def params_file(self) -> str:
        """Returns the path of the parameters; empty when none was given."""
        return str(self.source.params or "")

    def set_prog_file(self, path: Any) -> None:
        """Sets the program's file and keeps that of the parameters."""
        self.source = as_source(path, self.source.params)

    def set_params_file(self, path: Any) -> None:
        """Sets the parameters' file and keeps that of the program."""
        self.source = as_source(self.source.path, path)

    def set_model_buffer(
        self, prog_buffer: Any, prog_size: int, params_buffer: Any = b"", params_size: int = 0
    ) -> None:
        """Sets a model whose files are in memory.

        Args:
            prog_buffer: the program's bytes: of a `.proa`, `.pdmodel` or `.json`.
            prog_size: how many of them count.
            params_buffer: the parameters' bytes; empty for a `.proa`.
            params_size: how many of them count.
        """
        given = [
            (data.encode("latin-1") if isinstance(data, str) else bytes(data))[:size]
            for data, size in ((prog_buffer, prog_size), (params_buffer, params_size))
        ]
        self.source = Source(buffers=(given[0], given[1]))

    def model_from_memory(self) -> bool:
        """Whether the model was given as bytes."""
        return self.source.buffers is not None


class _Devices(_Models):
    """Devices, threads, engines and precision."""

    device: str
    engine: str
    precision: str
    threads: int | None
    kept_ops: set[str]
    max_variants: int

    def disable_gpu(self) -> None:
        """Runs on the CPU."""
        self.device = "cpu"

    def enable_use_gpu(
        self,
        memory_pool_init_size_mb: int = 100,
        device_id: int = 0,
        precision_mode: Any = PrecisionType.Float32,
    ) -> None:
        """Runs on a GPU; memory is managed by XLA, so the pool size has no effect.

        Raises:
            UnknownNameError: this machine has no such GPU.
        """
        precision = precision_name(precision_mode)
        self.enable_custom_device("gpu", device_id)
        self.precision = precision
        self._notes["memory_pool_init_size_mb"] = "no effect: XLA manages device memory"

    def enable_custom_device(
        self, device_type: str, device_id: int = 0, precision: Any = PrecisionType.Float32
    ) -> None:
        """Runs on a device of any kind that JAX knows here, such as `"tpu"`.

        Raises:
            UnknownNameError: this machine has no such device.
        """
        chosen = precision_name(precision)
        name = f"{device_type}:{device_id}"
        _ = as_place(name).device
        self.device, self.precision = name, chosen

    def use_gpu(self) -> bool:
        """Whether a GPU was chosen."""
        return self.device.startswith(("gpu", "cuda", "rocm"))

    def gpu_device_id(self) -> int:
        """Returns the number of the device."""
        return int(self.device.partition(":")[2] or 0)

    def memory_pool_init_size_mb(self) -> int:
        """Returns 0: XLA manages device memory."""
        return 0

    def set_cpu_math_library_num_threads(self, cpu_math_library_num_threads: int) -> None:
        """Sets the threads of one run, for the engines that take a number.

        XLA takes the cores that the process may use; `predictor.explain()` says so.

        Raises:
            InvalidArgumentError: below 1.
        """
        count = int(cpu_math_library_num_threads)
        if count < 1:
            raise InvalidArgumentError(
                f"`cpu_math_library_num_threads` is {count}",
                expected="at least 1",
                fix="pass the number of threads that one run may use",
            )
        self.threads = count

    def cpu_math_library_num_threads(self) -> int:
        """Returns the threads of one run that were asked for; 1 when none were, as in Paddle."""
        return self.threads or 1

    def mkldnn_enabled(self) -> bool:
        """Whether the engine computes by oneDNN: OpenVINO does."""
        return self.engine == "openvino"

    onednn_enabled = mkldnn_enabled

    def enable_mkldnn_bfloat16(self) -> None:
        """Computes in bfloat16; inputs and outputs keep their dtypes."""
        self.precision = "bfloat16"

    enable_onednn_bfloat16 = enable_mkldnn_bfloat16

    def set_mkldnn_cache_capacity(self, capacity: int = 0) -> None:
        """Bounds how many input shapes stay compiled; 0 leaves the bound as it is."""
        if capacity > 0:
            self.max_variants = int(capacity)

    set_onednn_cache_capacity = set_mkldnn_cache_capacity

    def enable_low_precision_io(self, x: bool = True) -> None:
        """Kept for Paddle's API: inputs and outputs keep their dtypes in every precision.

        Raises:
            UnsupportedError: it is switched on.
        """
        if x:
            raise UnsupportedError(
                "inputs and outputs in low precision were asked for",
                expected="the dtypes that the model was recorded with",
                fix="cast before and after, or save the model with inputs of that dtype",
            )

    def exp_disable_mixed_precision_ops(self, ops: Any) -> None:
        """Names ops that stay in float32 when the precision is another."""
        self.kept_ops = {str(name) for name in ops}

    def enable_openvino_engine(self, inference_precision: Any = PrecisionType.Float32) -> None:
        """Runs on OpenVINO.

        Raises:
            UnsupportedError: it is not installed.
        """
        precision = precision_name(inference_precision)
        self.set_engine("openvino")
        self.precision = precision

    def openvino_engine_enabled(self) -> bool:
        """Whether the engine is OpenVINO."""
        return self.engine == "openvino"

    def enable_onnxruntime(self) -> None:
        """Runs on ONNX Runtime.

        Raises:
            UnsupportedError: it is not installed.
        """
        self.set_engine("onnxruntime")

    def disable_onnxruntime(self) -> None:
        """Runs on XLA again, if ONNX Runtime was chosen."""
        if self.engine == "onnxruntime":
            self.engine = "xla"

    def onnxruntime_enabled(self) -> bool:
        """Whether the engine is ONNX Runtime."""
        return self.engine == "onnxruntime"

    def set_engine(self, name: str) -> None:
        """Chooses the engine."""
        raise NotImplementedError


class PaddleOptions(_Devices):
    """Passes, shapes, files and profiling."""

    ranges: dict[str, tuple[list[int], list[int]]]
    profiles: bool
    cache_folder: Any
    _passes: Any
    _optimises: bool
    _shape_file: str | None

    def switch_ir_optim(self, x: bool = True) -> None:
        """Switches Proa's passes over the Programs; XLA optimises in any case."""
        self._optimises = bool(x)

    def ir_optim(self) -> bool:
        """Whether the Programs go through passes."""
        return self._optimises

    def pass_builder(self) -> Any:
        """Returns the list of passes, which can be changed."""
        return self._passes

    def delete_pass(self, name: str) -> None:
        """Takes a pass out of the list."""
        self._passes.delete_pass(name)

    def enable_custom_passes(self, passes: Any = (), custom_pass_only: bool = False) -> None:
        """Puts passes in front of the list, or in its place."""
        if custom_pass_only:
            self._passes.set_passes([])
        for position, name in enumerate(passes):
            self._passes.insert_pass(position, name)

    def enable_profile(self) -> None:
        """Counts and times runs; `predictor.explain()` prints them."""
        self.profiles = True

    def set_optim_cache_dir(self, folder: Any) -> None:
        """Chooses the folder for executables and measurements; see `set_cache`."""
        self.set_cache(folder)

    def set_cache(self, folder: Any = "beside") -> None:
        """Chooses the cache folder."""
        raise NotImplementedError

    def set_input_range(self, name: str, min: Any, max: Any) -> None:
        """Sets the range of an input."""
        raise NotImplementedError

    def set_trt_dynamic_shape_info(
        self,
        min_input_shape: Mapping[str, Any] | None = None,
        max_input_shape: Mapping[str, Any] | None = None,
        optim_input_shape: Mapping[str, Any] | None = None,
        disable_trt_plugin_fp16: bool = False,
    ) -> None:
        """Sets the range of each input; see `set_input_range`.

        Names that are no inputs of the model (inner tensors, which TensorRT wants) are refused
        when the predictor is made. The optimal shape has no effect.

        Raises:
            InvalidArgumentError: the two sides name different inputs.
        """
        smallest, largest = dict(min_input_shape or {}), dict(max_input_shape or {})
        if set(smallest) != set(largest):
            raise InvalidArgumentError(
                f"smallest shapes of {sorted(smallest)}, largest shapes of {sorted(largest)}",
                expected="both for the same inputs",
                fix="name each input in both",
            )
        for name, shape in smallest.items():
            self.set_input_range(name, shape, largest[name])

    def tensorrt_dynamic_shape_enabled(self) -> bool:
        """Whether an input has a range."""
        return bool(self.ranges)

    def collect_shape_range_info(self, path: Any) -> None:
        """Writes the smallest and largest shape of each input to a file, run by run."""
        self._shape_file = str(path)

    def shape_range_info_collected(self) -> bool:
        """Whether shapes are being collected."""
        return self._shape_file is not None

    def shape_range_info_path(self) -> str:
        """Returns the file that shapes are written to."""
        return self._shape_file or ""

    def enable_tuned_tensorrt_dynamic_shape(
        self, shape_range_info_path: Any = "", allow_build_at_runtime: bool = True
    ) -> None:
        """Takes ranges from a file that `collect_shape_range_info` wrote.

        Args:
            shape_range_info_path: the file; empty means none.
            allow_build_at_runtime: compile shapes outside as well, so that the ranges only say
                what to expect; `False` refuses such shapes.

        Raises:
            NotFoundError: no such file.
            ArtifactError: not such a file.
        """
        if not shape_range_info_path:
            return
        ranges = read_shapes(Path(shape_range_info_path))
        if allow_build_at_runtime:
            self._notes["tuned shapes"] = "no effect: shapes outside compile as well, as was asked"
            return
        for name, (smallest, largest) in ranges.items():
            self.set_input_range(name, smallest, largest)

    def tuned_tensorrt_dynamic_shape(self) -> bool:
        """Whether an input has a range."""
        return bool(self.ranges)

    def trt_allow_build_at_runtime(self) -> bool:
        """Whether every shape may compile: without ranges."""
        return not self.ranges

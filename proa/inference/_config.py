"""Config: what a predictor loads and how it runs; no option is ignored in silence."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import Any

from proa.core import InvalidArgumentError, UnsupportedError

from ._autotune import Choice, autotune
from ._config_paddle import PaddleOptions
from ._engines import find_engine
from ._memory import MEGABYTE
from ._optimise import PassBuilder
from ._source import Source, as_source
from ._types import PrecisionType, precision_name


class Config(PaddleOptions):
    """Configuration of a predictor.

    All methods of Paddle's Config are there. An option that cannot be honoured raises; one that
    has no effect says so in `summary()`.

    Args:
        prog_file: a `.proa` artifact (the suffix may be left out), the program file of a Paddle
            model, its prefix, an old model's folder; or another Config, to copy it.
        params_file: the parameters' file of a Paddle model.

    Examples:
        >>> from proa.inference import Config
        >>> config = Config("model.proa")
        >>> config.enable_memory_optim()
        >>> print(config.summary())
        model                 model.proa
        device                cpu
        engine                xla
        precision             float32
        golden check          on
        max variants          32
        cache                 beside the model
        enable_memory_optim   no effect: XLA plans buffers at compile time
    """

    Precision = PrecisionType
    Float32 = PrecisionType.Float32
    Int8 = PrecisionType.Int8
    Half = PrecisionType.Half
    Bfloat16 = PrecisionType.Bfloat16

    def __init__(self, prog_file: Any = None, params_file: Any = None) -> None:
        if isinstance(prog_file, Config):
            self.__dict__.update(copy.deepcopy(prog_file.__dict__))
            return
        self.source = Source()
        self.device = "cpu"
        #: Name of the engine; `auto` measures those that are installed.
        self.engine = "xla"
        self.precision = "float32"
        #: Ops that stay in float32 when `precision` is another.
        self.kept_ops: set[str] = set()
        self.threads: int | None = None
        self.check_golden = True
        self.max_variants = 32
        self.buckets: Any = None
        #: Per input, the smallest and largest shape.
        self.ranges: dict[str, tuple[list[int], list[int]]] = {}
        self.memory_limit: int | None = None
        self.idle_seconds: float | None = None
        self.cache_folder: Any = "beside"
        self.cache_limit = 512 * MEGABYTE
        self.profiles = False
        #: What the last `autotune()` found.
        self.choice: Choice | None = None
        self._notes: dict[str, str] = {}
        self._passes = PassBuilder()
        self._optimises = True
        self._shape_file: str | None = None
        if prog_file is not None:
            self.set_model(prog_file, params_file)

    def set_model(self, prog_file: Any, params_file: Any = None) -> None:
        """Sets the model to load; see the class.

        Raises:
            InvalidTypeError: not a path.
        """
        self.source = as_source(prog_file, params_file)

    def set_engine(self, name: str) -> None:
        """Chooses the engine.

        Args:
            name: `"xla"` (every op, every device), `"openvino"` or `"onnxruntime"` (CPU; extras),
                or `"auto"`: those that are installed are measured when the predictor is made,
                and the fastest that agrees with XLA is taken; the result is kept for the next
                start.

        Raises:
            UnknownNameError: no engine has this name.
            UnsupportedError: its library is not installed, or it cannot run on the device.
        """
        if name != "auto":
            reason = find_engine(name).unavailable()
            if reason is not None:
                raise UnsupportedError(
                    f"engine {name!r} cannot be used here: {reason}",
                    expected="an engine that is installed",
                    fix="install it, or call set_engine('xla')",
                )
        self.engine = name

    def autotune(
        self, samples: Any = None, *, rounds: int = 7, seconds: float = 0.2, repeat: bool = False
    ) -> Choice:
        """Measures the engines that are installed on this model and takes the fastest.

        Only engines whose outputs agree with those of XLA count. The result is kept beside the
        model, and taken from there while model, machine, versions, precision, threads and sample
        shapes are the same.

        Args:
            samples: inputs to measure with: a list of requests, each a list with an array per
                input. By default the golden samples; without any, zeros of the smallest shapes
                that the ranges allow, with a batch of 1.
            rounds: times each engine takes its turn.
            seconds: time of one turn.
            repeat: measure also when a result is kept.

        Returns:
            The choice, with the times of all engines.

        Raises:
            InvalidArgumentError: no samples, and an unknown size other than the batch.
        """
        self.choice = autotune(self, samples, rounds=rounds, seconds=seconds, repeat=repeat)
        self.engine = self.choice.engine
        if self.choice.channels_last:
            self.pass_builder().set_channels_last(True)
        return self.choice

    def set_precision(self, precision: Any) -> None:
        """Chooses in what precision to compute what was recorded as float32.

        Inputs and outputs keep their dtypes.

        Args:
            precision: `"float32"`, `"bfloat16"` or `"float16"`, or a PrecisionType.

        Raises:
            UnsupportedError: 8-bit integers.
            InvalidArgumentError: something else.
        """
        self.precision = precision_name(precision)

    def set_golden_check(self, enabled: bool) -> None:
        """Switches the check of the golden samples at load."""
        self.check_golden = bool(enabled)

    def set_max_variants(self, count: int) -> None:
        """Bounds how many input shapes stay compiled.

        Raises:
            InvalidArgumentError: below 1.
        """
        if count < 1:
            raise InvalidArgumentError(
                f"`count` is {count}", expected="at least 1", fix="pass a positive number"
            )
        self.max_variants = int(count)

    def set_input_range(self, name: str, min: Any, max: Any) -> None:
        """Sets the smallest and largest shape of an input; others are refused.

        Args:
            name: the input.
            min: its smallest size per axis, e.g. `[1, 3, 32, 32]`.
            max: its largest size per axis.

        Raises:
            InvalidArgumentError: not two lists of equal length with min <= max.
        """
        smallest, largest = ([int(extent) for extent in shape] for shape in (min, max))
        pairs = list(zip(smallest, largest, strict=False))
        if len(smallest) != len(largest) or not all(0 <= low <= high for low, high in pairs):
            raise InvalidArgumentError(
                f"the range of input `{name}` is from {smallest} to {largest}",
                expected="two shapes of equal length, the first not above the second",
                fix="write set_input_range('x', [1, 3, 32, 32], [8, 3, 640, 640])",
            )
        self.ranges[name] = (smallest, largest)

    def set_batch_buckets(self, sizes: Sequence[int] | str | None = "powers of two") -> None:
        """Pads the batch up to one of a few sizes and cuts the result, so that few shapes compile.

        The predictor proves first that no row of an output depends on another row, and refuses
        otherwise.

        Args:
            sizes: the batch sizes to compile; batches above the largest are padded to a multiple
                of it. By default powers of two. `None` turns it off.

        Raises:
            InvalidArgumentError: not positive sizes.
        """
        if sizes is None or sizes == "powers of two":
            self.buckets = sizes
            return
        made = sorted({int(size) for size in sizes})
        if not made or made[0] < 1:
            raise InvalidArgumentError(
                f"`sizes` is {sizes!r}", expected="sizes of 1 and more", fix="write [1, 4, 16]"
            )
        self.buckets = made

    def set_memory_limit(self, megabytes: float | None) -> None:
        """Sets a ceiling for weights, executables and the buffers of runs.

        Executables that were not used for longest are dropped, and runs of other threads waited
        for, to stay below it; a run that does not fit even alone raises. Not counted are the
        interpreter and what XLA takes while it compiles.

        Args:
            megabytes: the ceiling, in MB of 2**20 bytes; `None` for none.

        Raises:
            InvalidArgumentError: not above 0.
        """
        if megabytes is not None and not megabytes > 0:
            raise InvalidArgumentError(
                f"`megabytes` is {megabytes}",
                expected="a number above 0, or None",
                fix="write set_memory_limit(512)",
            )
        self.memory_limit = None if megabytes is None else int(megabytes * MEGABYTE)

    def set_idle_trim(self, seconds: float | None) -> None:
        """Does what `Predictor.trim` does, when nobody has called for a while.

        The next run of each shape takes its executable from the cache folder again.

        Args:
            seconds: how long; `None` never does.

        Raises:
            InvalidArgumentError: not above 0.
        """
        if seconds is not None and not seconds > 0:
            raise InvalidArgumentError(
                f"`seconds` is {seconds}",
                expected="a number above 0, or None",
                fix="write set_idle_trim(60)",
            )
        self.idle_seconds = seconds

    def set_cache(self, folder: Any = "beside", *, max_megabytes: float = 512) -> None:
        """Chooses where executables and measurements are kept for the next start.

        Args:
            folder: `"beside"` for `<model>.cache` beside the model (where that cannot be
                written, the user's own cache folder), a folder, or `None` to keep nothing.
            max_megabytes: what the folder may hold; what was not used for longest goes first.
        """
        self.cache_folder = folder if folder in ("beside", None) else os.fspath(folder)
        self.cache_limit = int(max_megabytes * MEGABYTE)

    def summary(self) -> str:
        """Returns what is set, and which options have no effect here and why."""
        path = self.source.path
        rows = {
            "model": path if path else ("in memory" if self.source.buffers else "none"),
            "device": self.device,
            "engine": self.engine,
            "precision": self.precision,
            "golden check": "on" if self.check_golden else "off",
            "max variants": self.max_variants,
            "cache": {"beside": "beside the model", None: "off"}.get(
                self.cache_folder, self.cache_folder
            ),
        }
        if self.threads is not None:
            is_kept = self.engine in ("openvino", "onnxruntime", "auto")
            why = "" if is_kept else "; no effect on xla, limit the cores of the process (taskset)"
            rows["threads"] = f"{self.threads}{why}"
        if self.buckets is not None:
            rows["batch buckets"] = self.buckets
        if self.memory_limit is not None:
            rows["memory limit"] = f"{self.memory_limit / MEGABYTE:g} MB"
        if self.idle_seconds is not None:
            rows["idle trim"] = f"after {self.idle_seconds:g} s"
        for name, (smallest, largest) in self.ranges.items():
            rows[f"range of {name}"] = f"{smallest} to {largest}"
        if self.kept_ops:
            rows["kept in float32"] = ", ".join(sorted(self.kept_ops))
        if not self._optimises:
            rows["passes"] = "off"
        rows |= self._notes | self._passes.notes
        width = max(20, *map(len, rows)) + 2
        return "\n".join(f"{name:<{width}}{value}" for name, value in rows.items())

"""Config: what a predictor loads and how it runs; no option is ignored in silence."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, UnsupportedError, as_place


class Config:
    """Configuration of a predictor.

    Args:
        prog_file: path of a `.proa` artifact (the suffix may be left out).
        params_file: unused for artifacts, which hold their weights; must be `None`.

    Raises:
        UnsupportedError: a pair of Paddle files was given (their importer comes later).
    """

    def __init__(self, prog_file: Any = None, params_file: Any = None) -> None:
        self._path: Any = None
        self.device = "cpu"
        self.check_golden = True
        self.max_variants = 32
        self._notes: dict[str, str] = {}
        if prog_file is not None:
            self.set_model(prog_file, params_file)

    def set_model(self, prog_file: Any, params_file: Any = None) -> None:
        """Sets the artifact to load.

        Raises:
            UnsupportedError: files of another kind than `.proa`.
        """
        text = str(prog_file)
        if params_file is not None or text.endswith((".pdmodel", ".json", ".onnx")):
            raise UnsupportedError(
                f"a model in the files {text!r} and {params_file!r}",
                expected="one .proa artifact",
                fix="export it with proa.jit.save(layer, 'model', input_spec)",
            )
        self._path = prog_file

    def model_path(self) -> Any:
        """Returns the path of the artifact.

        Raises:
            InvalidArgumentError: none was set.
        """
        if self._path is None:
            raise InvalidArgumentError(
                "this Config has no model",
                expected="the path of a .proa artifact",
                fix="write Config('model.proa')",
            )
        return self._path

    prog_file = model_path

    def disable_gpu(self) -> None:
        """Runs on the CPU."""
        self.device = "cpu"

    def enable_use_gpu(self, memory_pool_init_size_mb: int = 100, device_id: int = 0) -> None:
        """Runs on a GPU; memory is managed by XLA, so the pool size has no effect.

        Raises:
            UnknownNameError: this machine has no such GPU.
        """
        name = f"gpu:{device_id}"
        _ = as_place(name).device
        self.device = name
        self._notes["memory_pool_init_size_mb"] = "no effect: XLA manages device memory"

    def use_gpu(self) -> bool:
        """Whether a GPU was chosen."""
        return self.device != "cpu"

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

    def switch_ir_optim(self, flag: bool = True) -> None:
        """Kept for Paddle's API: XLA always optimises; noted in `summary()`."""
        self._notes["ir_optim"] = "no effect: XLA always optimises"

    def enable_memory_optim(self, flag: bool = True) -> None:
        """Kept for Paddle's API: XLA plans its buffers anyway; noted in `summary()`."""
        self._notes["memory_optim"] = "no effect: XLA plans buffers at compile time"

    def switch_use_feed_fetch_ops(self, flag: bool) -> None:
        """Kept for Paddle's API: there are no such ops; noted in `summary()`."""
        self._notes["use_feed_fetch_ops"] = "no effect: Programs have no feed or fetch ops"

    def ir_optim(self) -> bool:
        """Whether programs are optimised: always."""
        return True

    def set_cpu_math_library_num_threads(self, cpu_math_library_num_threads: int) -> None:
        """Kept for Paddle's API: XLA uses the cores it is given; noted in `summary()`."""
        self._notes["cpu threads"] = "no effect: limit the cores of the process instead"

    def disable_glog_info(self) -> None:
        """Kept for Paddle's API: nothing is logged; noted in `summary()`."""
        self._notes["glog_info"] = "no effect: nothing is logged"

    def enable_mkldnn(self) -> None:
        """Kept for Paddle's API: XLA has kernels of its own; noted in `summary()`."""
        self._notes["mkldnn"] = "no effect: XLA has kernels of its own"

    enable_onednn = enable_mkldnn

    def summary(self) -> str:
        """Returns what is set, and which options have no effect here and why."""
        lines = [
            f"model          {self._path}",
            f"device         {self.device}",
            f"golden check   {self.check_golden}",
            f"max variants   {self.max_variants}",
        ]
        lines += [f"{name:<14} {note}" for name, note in self._notes.items()]
        return "\n".join(lines)

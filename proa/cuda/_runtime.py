"""What lies below PyTorch's `cuda` and is XLA's own business here."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, UnsupportedError, as_place
from proa.device import is_compiled_with_cuda, manual_seed, stream_guard

# One function under several names: there is one generator, and XLA starts GPUs when it finds them.
is_available = is_initialized = is_compiled_with_cuda
manual_seed_all = manual_seed
stream = stream_guard


def current_device() -> int:
    """Returns the number of the current device among those of its kind."""
    return as_place(None).index


def cudart() -> Any:
    """Refuses: XLA talks to the CUDA runtime itself.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        "`cudart`",
        expected="calls that go through XLA, which owns the CUDA runtime",
        fix="use proa.device for properties, memory and events",
    )


def check_error(res: int) -> None:
    """Raises for a code of the CUDA runtime that tells an error.

    Args:
        res: the code; 0 is success.

    Raises:
        InvalidArgumentError: another code.
    """
    if int(res):
        raise InvalidArgumentError(
            f"error code {int(res)} of the CUDA runtime",
            expected="0, success",
            fix="look the code up in the documentation of cudaError_t",
        )

"""Names of attention kernels and the contexts that choose among them."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterator, Sequence

from proa.core import InvalidArgumentError, InvalidTypeError, UnsupportedError


class SDPBackend(enum.IntEnum):
    """Kernels that Paddle chooses from; here each of them is the form that XLA compiles."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2


@contextlib.contextmanager
def sdpa_kernel(
    backends: SDPBackend | Sequence[SDPBackend], set_priority: bool = False
) -> Iterator[dict]:
    """Context that names the kernels that `scaled_dot_product_attention` may use.

    XLA compiles attention for the device it runs on, so every kernel gives the same result.

    Args:
        backends: one kernel or several.
        set_priority: whether their order matters; it never does.

    Raises:
        InvalidTypeError: something that is no kernel.
        InvalidArgumentError: no kernel at all.
        UnsupportedError: `SDPBackend.ERROR` alone, which names none.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> from proa.nn.attention import SDPBackend, sdpa_kernel
        >>> q = proa.ones([1, 2, 1, 4])
        >>> with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
        ...     print(F.scaled_dot_product_attention(q, q, q).shape)
        [1, 2, 1, 4]
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(chosen, list | tuple | set) or not all(
        isinstance(backend, SDPBackend) for backend in chosen
    ):
        raise InvalidTypeError(
            f"`backends` of `sdpa_kernel` is {backends!r}",
            expected="an SDPBackend, or a list of them",
            fix="from proa.nn.attention import SDPBackend; sdpa_kernel(SDPBackend.MATH)",
        )
    if not chosen:
        raise InvalidArgumentError(
            "`backends` of `sdpa_kernel` is empty",
            expected="at least one SDPBackend",
            fix="leave the context out, or name SDPBackend.MATH",
        )
    if all(backend is SDPBackend.ERROR for backend in chosen):
        raise UnsupportedError(
            "`sdpa_kernel` got no kernel but SDPBackend.ERROR",
            expected="a kernel: MATH, FLASH_ATTENTION or EFFICIENT_ATTENTION",
            fix="name SDPBackend.MATH; the result is the same with each",
        )
    yield {}


@contextlib.contextmanager
def sdp_kernel(
    enable_math: bool = False, enable_flash: bool = True, enable_mem_efficient: bool = True
) -> Iterator[dict]:
    """`sdpa_kernel` with one switch per kernel.

    Args:
        enable_math: allow `SDPBackend.MATH`.
        enable_flash: allow `SDPBackend.FLASH_ATTENTION`.
        enable_mem_efficient: allow `SDPBackend.EFFICIENT_ATTENTION`.

    Raises:
        InvalidArgumentError: all are off.
    """
    switches = (enable_math, enable_flash, enable_mem_efficient)
    kernels = (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION)
    chosen = [kernel for kernel, is_on in zip(kernels, switches, strict=True) if is_on]
    with sdpa_kernel(chosen) as found:
        yield found

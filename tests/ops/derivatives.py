"""Derivatives of a `Case` up to the fourth order, all from one compiled function.

`s0 = sum(Re(conj(c) * output))` for a fixed random `c`; `s1` is the derivative of `s0` along a
random direction, `s2` that of `s1` along another one, and so on, each of them by the tape. Each is
held against the central difference of the one before it, one input at a time. All this is one
function of the inputs, traced through the tape and compiled once, without costly optimisation:
compiling is what the suite spends its time on, and in float64 the digits that count stay.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import Tensor, default_generator, grad, new_tensor

#: Ops whose second derivative is zero wherever they have one; checked to be so.
FLAT = frozenset(
    """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool2d adaptive_max_pool3d add_n amax amin as_complex as_real as_strided
    avg_pool1d avg_pool2d avg_pool3d block_diag broadcast_to ceil channel_shuffle clip clone
    combinations complex concat conj copysign cummax cummin cumsum deg2rad diag diag_embed
    diagflat diagonal diagonal_scatter diff expand expand_as fft fft2 fftn fftshift flatten
    flip floor fmax fmin frac frexp gather gather_nd hardshrink hardsigmoid hardtanh
    heaviside hfft hfft2 hfftn hinge_embedding_loss ifft ifft2 ifftn ifftshift ihfft ihfft2
    ihfftn imag index_add index_fill index_sample index_select irfft irfft2 irfftn kthvalue
    label_smooth ldexp leaky_relu margin_ranking_loss masked_fill masked_scatter max
    max_pool1d max_pool2d max_pool3d max_unpool2d maximum maxout min minimum
    multi_label_margin_loss multiplex nan_to_num neg negative pixel_shuffle pixel_unshuffle
    positive rad2deg real reduce_as relu relu6 reshape rfft rfft2 rfftn roll rot90 round
    scatter scatter_nd scatter_nd_add sgn sign softshrink sort squeeze stack sum take
    take_along_axis temporal_shift thresholded_relu tile topk trace tril triu trunc
    unflatten unsqueeze
    """.split()
)
_STEP = 1e-6
_QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_llvm_disable_expensive_passes": True,
}


@functools.cache
def _quick_options() -> dict[str, Any]:
    """Compiler options that halve compile time; none where this XLA does not know them."""
    try:
        jax.jit(lambda: jnp.zeros(()), compiler_options=_QUICK)()
    except jax.errors.JaxRuntimeError:
        return {}
    return _QUICK


def quickly(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `fn` of arrays compiled as a whole, in as little time as possible.

    Random ops draw the same numbers each time, and the generator stays where it was.
    """

    @functools.wraps(fn)
    def kept(*arrays: Any) -> Any:
        state = default_generator().state
        before = state._data
        try:
            return fn(*arrays)
        finally:
            state._data = before

    return jax.jit(kept, compiler_options=_quick_options())


def normal_like(draw: np.random.Generator, array: Any) -> np.ndarray:
    """Normal values of an array's shape and dtype."""
    values = np.asarray(draw.standard_normal(array.shape))
    if jnp.issubdtype(array.dtype, jnp.complexfloating):
        values = values + 1j * draw.standard_normal(array.shape)
    return np.asarray(values).astype(array.dtype)


def _inner(a: Any, b: Any) -> Any:
    return jnp.sum(jnp.conj(a) * b).real


class Derived(NamedTuple):
    """What the function gives at one point.

    Attributes:
        outputs: all outputs.
        gradients: of `s0`, per input; `None` where there is none.
        sums: `s0, s1, ...`.
        parts: per order from the first, the share of each input in its sum.
    """

    outputs: list[Any]
    gradients: list[Any]
    sums: list[Any]
    parts: list[list[Any]]


class Derivatives:
    """The function of one case.

    Args:
        call: from input Tensors to a list of output Tensors.
        inputs: the float64 or complex128 arrays to differentiate by.
        orders: how many derivatives to take.
        whole: compile it (`False` for ops that need values).
    """

    def __init__(
        self, call: Callable[..., list[Tensor]], inputs: list[np.ndarray], orders: int, whole: bool
    ) -> None:
        draw = np.random.default_rng(17)
        self.call, self.inputs, self.orders = call, inputs, orders
        self.directions = [[normal_like(draw, a) for a in inputs] for _ in range(orders)]
        self.at = quickly(self._at) if whole else self._at
        self.here: Derived = self.at(*inputs)

    def _at(self, *arrays: Any) -> Derived:
        inputs = leaves(arrays)
        outputs = self.call(*inputs)
        seeds = seeds_of(outputs)
        pairs = [(t, c) for t, c in zip(outputs, seeds, strict=True) if c is not None]
        sums: list[Any] = [sum(_inner(c, t._data) for t, c in pairs)]
        first: list[Any] = []
        parts: list[Any] = []
        for order, directions in enumerate(self.directions):
            pairs = [(t, c) for t, c in pairs if not t._stop]
            found = gradients(pairs, inputs, order + 1 < self.orders)
            first = found if order == 0 else first
            both = list(zip(found, directions, strict=True))
            parts.append([0.0 if g is None else _inner(d, g._data) for g, d in both])
            sums.append(sum(parts[-1]))
            pairs = [(g, d) for g, d in both if g is not None]
        arrays_of = [None if g is None else g._data for g in first]
        return Derived([t._data for t in outputs], arrays_of, sums, parts)

    def differences(self, order: int) -> list[float]:
        """Central differences of the sum of the order below, one input at a time."""
        found = []
        for i, d in enumerate(self.directions[order - 1]):
            ahead, behind = list(self.inputs), list(self.inputs)
            ahead[i], behind[i] = self.inputs[i] + _STEP * d, self.inputs[i] - _STEP * d
            difference = self.at(*ahead).sums[order - 1] - self.at(*behind).sums[order - 1]
            found.append(float(difference) / (2 * _STEP))
        return found

    @property
    def is_flat(self) -> bool:
        """Whether the second derivative is zero here: then so are all higher ones."""
        return self.orders >= 2 and not any(float(p) for p in self.here.parts[1])


def leaves(arrays: Any) -> list[Tensor]:
    """Tensors of arrays that want a gradient."""
    made = [new_tensor(jnp.asarray(a)) for a in arrays]
    for t in made:
        t.stop_gradient = False
    return made


def seeds_of(outputs: list[Tensor]) -> list[Any]:
    """A random array per output, the same in each call; `None` for outputs without a gradient."""
    draw = np.random.default_rng(18)
    return [
        normal_like(draw, t._data) if jnp.issubdtype(t._data.dtype, jnp.inexact) else None
        for t in outputs
    ]


def gradients(pairs: list[tuple[Tensor, Any]], inputs: list[Tensor], create: bool) -> list[Any]:
    """Gradients of the sum of all `tensor * seed` of `pairs`."""
    if not pairs:
        return [None] * len(inputs)
    seeds = [new_tensor(jnp.asarray(c)) for _, c in pairs]
    outputs = [t for t, _ in pairs]
    return grad(outputs, inputs, seeds, create_graph=create, allow_unused=True)

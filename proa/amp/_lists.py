"""Which ops auto_cast runs in low precision and which in float32, and the names of both."""

from __future__ import annotations

import difflib
import functools
import warnings
from collections.abc import Iterable
from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError, all_ops

LEVELS = ("O0", "O1", "O2", "OD")
LOW_DTYPES = ("bfloat16", "float16")

# Names of op families, mostly Paddle's internal ones, and the ops of Proa they stand for.
_FAMILIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("matmul", "matmul_v2", "mul"), ("matmul", "mm", "mv", "linear")),
    **dict.fromkeys(("linear_v2", "fused_gemm_epilogue"), ("linear",)),
    "conv2d": ("conv2d", "conv1d"),
    "depthwise_conv2d": ("conv2d", "conv1d"),
    "conv2d_transpose": ("conv2d_transpose", "conv1d_transpose"),
    **dict.fromkeys(
        ("flash_attn", "scaled_dot_product_attention"), ("attention", "attention_dropout")
    ),
    "elementwise_add": ("add",),
    "elementwise_sub": ("subtract",),
    "elementwise_mul": ("multiply",),
    "elementwise_div": ("divide",),
    "elementwise_pow": ("pow", "pow_constant"),
    "elementwise_max": ("maximum",),
    "elementwise_min": ("minimum",),
    "elementwise_mod": ("remainder",),
    "elementwise_floordiv": ("floor_divide",),
    "pow": ("pow", "pow_constant"),
    "reduce_sum": ("sum",),
    "reduce_mean": ("mean",),
    "reduce_prod": ("prod",),
    "reduce_max": ("max",),
    "reduce_min": ("min",),
    **dict.fromkeys(("lookup_table", "lookup_table_v2", "embedding"), ("embedding_lookup",)),
    **dict.fromkeys(
        ("softmax_with_cross_entropy", "cross_entropy2", "cross_entropy_with_softmax"),
        ("cross_entropy",),
    ),
    "sigmoid_cross_entropy_with_logits": ("binary_cross_entropy_with_logits",),
    "bce_loss": ("binary_cross_entropy",),
    "huber_loss": ("smooth_l1_loss",),
    "warpctc": ("ctc_loss",),
    **dict.fromkeys(("p_norm", "pnorm", "frobenius_norm"), ("vector_norm", "matrix_norm")),
    **dict.fromkeys(
        (
            "interpolate",
            "bilinear_interp_v2",
            "trilinear_interp_v2",
            "linear_interp_v2",
            "bicubic_interp_v2",
            "nearest_interp_v2",
        ),
        ("resize",),
    ),
    "batch_norm": ("batch_norm_train", "batch_norm_infer"),
    "instance_norm": ("instance_norm_batch",),
    "pool2d": ("max_pool2d", "avg_pool2d"),
    "dropout": ("drop",),
    "tanh_shrink": ("tanhshrink",),
    "softmin": ("softmax",),
}


def default_ops(color: str) -> frozenset[str]:
    """Returns the names of the ops that are declared `"white"` or `"black"`."""
    known = all_ops()
    # Rooms that are loaded later declare further ones.
    return _colored(color, len(known))


@functools.cache
def _colored(color: str, num_known: int) -> frozenset[str]:
    return frozenset(name for name, op in all_ops().items() if op.amp == color)


def level_ops(color: str, level: str) -> frozenset[str]:
    """Returns a level's default list.

    Args:
        color: `"white"` or `"black"`.
        level: `"O1"`, `"O2"` or `"OD"`.
    """
    if color == "white" or level == "O1":
        return default_ops(color)
    return frozenset({"resize"}) if level == "O2" else frozenset()


def expand_names(names: Iterable[str]) -> frozenset[str]:
    """Returns the ops that names stand for; a name of no op is told in a warning."""
    found: set[str] = set()
    known = all_ops()
    for name in names:
        ops = _FAMILIES.get(name) or ((name,) if name in known else ())
        if not ops:
            near = difflib.get_close_matches(name, [*known, *_FAMILIES], n=3)
            hint = f" (near: {', '.join(near)})" if near else ""
            warnings.warn(
                f"auto_cast: there is no op {name!r}, so its place in a list changes nothing{hint}",
                stacklevel=4,
            )
        found.update(ops)
    return frozenset(found)


def read_names(which: str, given: Any) -> frozenset[str]:
    """Reads a custom list as it was given: names in a set, list or tuple, or one name.

    Raises:
        InvalidTypeError: it is something else.
    """
    if given is None:
        return frozenset()
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, set | frozenset | list | tuple) or not all(
        isinstance(name, str) for name in names
    ):
        raise InvalidTypeError(
            f"`{which}` is {given!r}"[:200],
            expected="a set, list or tuple of op names",
            fix='for example {"softmax", "matmul"}; see proa.amp.white_list() for names',
        )
    return frozenset(names)


def check_disjoint(white: frozenset[str], black: frozenset[str]) -> None:
    """Raises when a name is in both custom lists."""
    both = sorted(white & black)
    if both:
        raise InvalidArgumentError(
            f"{', '.join(both)} in `custom_white_list` and in `custom_black_list`",
            expected="each op in one of them",
            fix="take it out of one",
        )


def _by_dtype(color: str) -> dict[str, dict[str, set[str]]]:
    def names(level: str) -> set[str]:
        ops = level_ops(color, level)
        families = {family for family, members in _FAMILIES.items() if ops.issuperset(members)}
        return {*ops, *families}

    levels = ("OD", "O1", "O2")
    return {dtype: {level: names(level) for level in levels} for dtype in ("float16", "bfloat16")}


def white_list() -> dict[str, dict[str, set[str]]]:
    """Returns the names of the ops that run in low precision by default.

    Returns:
        dict: by dtype (`"float16"`, `"bfloat16"`) and level (`"O1"`, `"O2"`, `"OD"`) a set of
        names: Proa's ops, and those of Paddle's names for whole families that are in it.

    Examples:
        >>> import proa
        >>> "matmul" in proa.amp.white_list()["bfloat16"]["O1"]
        True

    Differs: all convolutions and products of matrices are in it; Paddle 3.3.1 has conv2d and
    matmul only.
    """
    return _by_dtype("white")


def black_list() -> dict[str, dict[str, set[str]]]:
    """Returns the names of the ops that run in float32 by default.

    Returns:
        dict: by dtype and level a set of names, as in `white_list`.

    Examples:
        >>> import proa
        >>> "softmax" in proa.amp.black_list()["bfloat16"]["O1"]
        True
    """
    return _by_dtype("black")

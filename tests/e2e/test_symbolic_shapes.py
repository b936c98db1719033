"""Ops of the arithmetic families can be recorded with an unknown first dimension."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import export

import proa
from proa.core import all_ops, as_dtype

MODULES = (
    *("_arithmetic", "_cast", "_clip", "_compare", "_create", "_create_from", "_elementwise"),
    *("_inspect", "_logic", "_random", "_random_from", "_reduce", "_scan", "_special"),
    "_statistics",
)
(BATCH,) = export.symbolic_shape("batch")
FLOATS = jax.ShapeDtypeStruct((BATCH, 3), jnp.float32)
INTEGERS = jax.ShapeDtypeStruct((BATCH, 3), jnp.int64)
NUMBER = jax.ShapeDtypeStruct((), jnp.float32)
KEY = jax.ShapeDtypeStruct((2,), jnp.uint32)
QUANTILES = jax.ShapeDtypeStruct((1,), jnp.float64)

FLOAT32, INT64 = proa.float32, proa.int64
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "arange": {"start": 0, "end": BATCH, "step": 1, "dtype": INT64},
    "cast": {"dtype": FLOAT32},
    "eye": {"num_rows": BATCH, "num_columns": 3, "dtype": FLOAT32},
    "full": {"shape": (BATCH, 2), "dtype": FLOAT32},
    "gaussian": {"shape": (BATCH, 2), "dtype": FLOAT32},
    "linspace": {"num": 5, "dtype": FLOAT32},
    "logspace": {"num": 5, "dtype": FLOAT32},
    "median_value": {"keepdim": False, "mode": "avg", "skip_nan": False},
    "median_with_index": {"axis": 0, "keepdim": False, "skip_nan": False},
    "meshgrid": {"indexing": "ij"},
    "multigammaln": {"p": 2},
    "polygamma": {"n": 1},
    "pow_constant": {"exponent": 2},
    "quantile": {"keepdim": False, "interpolation": "linear", "skip_nan": False},
    "randint": {"shape": (BATCH, 2), "dtype": INT64},
    "randperm": {"n": 5, "dtype": INT64},
    "scale": {"bias_after_scale": True},
    "scale_activation": {"act": "relu"},
    "uniform": {"shape": (BATCH, 2), "dtype": FLOAT32},
    "var": {"correction": 1.0, "keepdim": False},
}
OF_NUMBERS = {"full", "gaussian", "linspace", "logspace", "randint", "uniform"}
# The side of their matrix depends on the dimension in ways that JAX cannot compare.
CANNOT = {"diag", "diagflat"}
OPS = [
    op
    for name, op in sorted(all_ops().items())
    if op.fn.__module__.rpartition(".")[2] in MODULES
    and op.fn.__module__.startswith("proa.ops.")
    and name not in CANNOT
]


def arguments(op: Any) -> dict[str, Any]:
    of_integers = op.fn.__module__.endswith("_logic") or op.name in ("gcd", "lcm")
    plain = INTEGERS if of_integers else NUMBER if op.name in OF_NUMBERS else FLOATS
    by_kind = {"key": KEY, "sequence": [jax.ShapeDtypeStruct((BATCH,), jnp.float32)] * 2}
    given = {p.name: by_kind.get(p.kind, plain) for p in op.arrays}
    if "q" in given:
        given["q"] = QUANTILES
    return given


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_op_takes_an_unknown_batch(op):
    static = {p.name: None if p.required else p.default for p in op.attributes}
    if isinstance(static.get("dtype"), str):
        static["dtype"] = as_dtype(static["dtype"])
    static.update(ATTRIBUTES.get(op.name, {}))
    axes = [None, 0, 1] if static.get("axis", 0) is None else [static.get("axis")]
    for axis in axes:
        if "axis" in static:
            static["axis"] = axis
        jax.eval_shape(lambda **arrays: op.fn(**arrays, **static), **arguments(op))

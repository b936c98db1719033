from __future__ import annotations

import subprocess
import sys

import jax.numpy as jnp
import pytest

import proa
from proa.core import Facts, InvalidArgumentError, UnknownNameError, all_ops, get_op, register
from proa.core._registry import MAX_KERNELS, BaseOp, parse_parameters


def fresh(x: Array, axis: Axis | None = None, *, scale: float = 1.0):  # noqa: F821
    return x * scale


def unannotated(x):
    return x


def test_parameters_are_read_from_textual_annotations():
    x, axis, scale = parse_parameters(fresh)
    assert (x.kind, x.required) == ("array", True)
    assert (axis.kind, axis.annotation, axis.default) == ("attribute", "Axis | None", None)
    assert (scale.kind, scale.default) == ("attribute", 1.0)


def test_a_missing_annotation_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"parameter `x`.*annotation None"):
        parse_parameters(unannotated)


def test_a_second_op_of_the_same_name_is_refused():
    with pytest.raises(InvalidArgumentError, match="op 'matmul' is declared twice"):
        register("matmul", fresh, Facts())


def test_a_view_of_dynamic_shape_is_refused():
    with pytest.raises(InvalidArgumentError, match="view of dynamic shape"):
        register("odd_view", fresh, Facts(inverse=fresh, dynamic_shape=True))
    assert "odd_view" not in all_ops()


def test_facts_take_keywords_only_and_no_unknown_ones():
    with pytest.raises(TypeError):
        Facts("name")
    with pytest.raises(TypeError):
        Facts(vew=True)


def test_get_op_gives_gradients_of_any_order_by_name():
    matmul = get_op("matmul")
    assert get_op("matmul_grad") is matmul.vjp
    assert get_op("matmul_grad_grad") is matmul.vjp.vjp
    with pytest.raises(UnknownNameError, match="no op 'matmull'"):
        get_op("matmull")


_LOOK = """
import pathlib, re, sys
import proa
from proa.core import get_op
assert "proa.vision" not in sys.modules
print(get_op("roi_align"))
root = pathlib.Path(proa.__file__).parent
for path in root.rglob("*.py"):
    if re.search("^@op\\b", path.read_text(), re.M):
        name = ".".join(["proa", *path.relative_to(root).with_suffix("").parts])
        assert name in sys.modules, name
"""


def test_an_op_of_a_room_that_is_not_loaded_is_found():
    """As where an artifact names it; all rooms that declare ops are looked in."""
    found = subprocess.run([sys.executable, "-c", _LOOK], capture_output=True, text=True)
    assert found.stdout == "<op roi_align>\n", found.stderr


def test_the_kernel_cache_of_an_op_is_bounded():
    class Doubler(BaseOp):
        name, jit = "doubler", False

        def array_fn(self, key):
            return lambda x: x * key

    op = Doubler()
    for key in range(MAX_KERNELS + 5):
        op.make_kernel(key)
    assert len(op.kernels) == MAX_KERNELS
    assert 0 not in op.kernels
    assert MAX_KERNELS + 4 in op.kernels


def test_vjp_fills_missing_cotangents_with_zeros():
    class Pair(BaseOp):
        name = "pair"

        def array_fn(self, key):
            return lambda x: (x * 2, x * 3)

    gradient = Pair().vjp.array_fn((None, 1, (0,), (False, True)))
    assert gradient(jnp.array(1.0), jnp.array(1.0))[0] == 3.0


@pytest.mark.parametrize("dtype", ["float32", "bool", "complex64"])
def test_an_index_holds_integers(dtype):
    index = proa.ones([1]).astype(dtype)
    for call in (proa.gather, proa.jit.to_static(proa.gather, full_graph=True)):
        with pytest.raises(TypeError, match=f"`index` of `gather` is a {dtype} tensor"):
            call(proa.arange(3), index)


_MANY = 2**40
ENDLESS = [
    lambda: proa.expand(proa.ones([1, 1]), [_MANY, _MANY]),
    lambda: proa.tile(proa.ones([1, 1]), [_MANY, _MANY]),
    lambda: proa.nn.functional.pad(proa.ones([1, 1, 2, 2]), [_MANY] * 4),
    lambda: proa.nn.functional.one_hot(proa.zeros([8], "int64"), 2**62),
    lambda: proa.diag(proa.ones([2]), _MANY),
    lambda: proa.jit.to_static(lambda x: proa.expand(x, [_MANY, _MANY]))(proa.ones([1])),
]


@pytest.mark.parametrize("call", ENDLESS)
def test_sizes_that_cannot_be_counted_are_refused(call):
    """XLA aborts the process over them."""
    with pytest.raises(InvalidArgumentError, match=r"would make an array of shape \[.*[0-9]{13}"):
        call()

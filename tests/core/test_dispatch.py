from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, describe_array, dispatch, get_op, is_inexact

KEY = (None, ())


def test_an_op_runs_at_once_and_is_taped_only_when_a_gradient_is_wanted():
    x = proa.to_tensor([1.0, 2.0])
    plain = dispatch(get_op("exp"), (x,), KEY)
    np.testing.assert_allclose(plain.numpy(), np.exp([1.0, 2.0]), rtol=1e-6)
    assert (plain.stop_gradient, plain._edge) == (True, None)
    x.stop_gradient = False
    taped = dispatch(get_op("exp"), (x,), KEY)
    assert not taped.stop_gradient
    assert taped._edge[0].op is get_op("exp")


def test_outputs_without_gradient_stop_it():
    x = proa.to_tensor([3.0, 1.0], stop_gradient=False)
    values, indices = proa.topk(x, 1)
    assert not values.stop_gradient
    assert indices.stop_gradient
    assert proa.argmax(x).stop_gradient


def test_one_kernel_serves_all_values_of_a_number():
    x = proa.ones([2])
    x * 1.5
    kernels = len(get_op("multiply").kernels)
    for factor in (2.0, 3.0, 7):
        x * factor
    assert len(get_op("multiply").kernels) == kernels


def test_a_failure_names_the_op_and_its_inputs():
    with pytest.raises(
        InvalidArgumentError, match=r"`?add`?.*float32\[2\].*float32\[3\]"
    ) as caught:
        proa.add(proa.ones([2]), proa.ones([3]))
    assert caught.value.expected
    assert caught.value.fix


@pytest.mark.parametrize(
    ("dtype", "answer"),
    [("float32", True), ("bfloat16", True), ("complex64", True), ("int8", False)],
)
def test_inexact_dtypes(dtype, answer):
    assert is_inexact(proa.ones([1], dtype)._data.dtype) is answer


def test_arrays_are_described_for_messages():
    assert describe_array(np.zeros((2, 3), np.int32)) == "int32[2, 3]"


def test_inputs_that_a_check_cannot_read_are_refused_by_the_op_itself():
    labels = proa.to_tensor([0, 1])
    with pytest.raises(ValueError, match=r"input \[N, C\] and label \[N\]"):
        proa.nn.functional.multi_margin_loss(labels.astype("float32"), labels)


def test_shapes_that_have_no_program_are_refused():
    with pytest.raises(ValueError, match="op `tile`|`repeat_times`"):
        proa.tile(proa.ones([2]), [-1])

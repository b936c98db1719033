from __future__ import annotations

import jax
import numpy as np
import pytest
from jax.core import Tracer

import proa
from proa.core import _convert, convert_inputs, get_op
from proa.core._convert import scalar_dtype
from tests.ops.harness import same

ADD = get_op("add")
NATURAL = [
    (True, "bool"),
    (1, "int64"),
    (1.5, "float32"),
    (1j, "complex64"),
    (np.int32(1), "int64"),
]
BESIDE = [
    (2, "float16", "float16"),
    (2.5, "int64", "float32"),
    (2.5, "bfloat16", "bfloat16"),
    (2, "bool", "int64"),
    (True, "int32", "int32"),
    (1j, "float64", "complex128"),
    (1j, "int64", "complex64"),
    (np.float64(2.5), "float32", "float32"),
]


@pytest.mark.parametrize(("value", "dtype"), NATURAL)
def test_scalars_alone(value, dtype):
    assert scalar_dtype(value, None) == dtype


@pytest.mark.parametrize(("value", "like", "dtype"), BESIDE)
def test_scalars_beside_a_tensor(value, like, dtype):
    assert scalar_dtype(value, proa.ones([1]).astype(like).dtype) == dtype


def test_numbers_lists_and_arrays_become_tensors():
    x = proa.ones([2])
    for value in (2, [2.0, 2.0], np.array([2.0, 2.0], "float32"), np.float32(2)):
        _, y = convert_inputs(ADD, (x, value))
        assert isinstance(y, proa.Tensor)
        assert y.dtype == "float32"


def test_equal_numbers_share_an_array_and_signed_zeros_do_not():
    x = proa.ones([2])
    arrays = [convert_inputs(ADD, (x, v))[1]._data for v in (2.5, 2.5)]
    assert arrays[0] is arrays[1]
    one, truth = (convert_inputs(ADD, (x, v))[1] for v in (1, True))
    assert one.item() == truth.item() == 1.0
    zeros = [convert_inputs(ADD, (x, v))[1].item() for v in (0.0, -0.0, 0, False)]
    assert np.signbit(zeros).tolist() == [False, True, False, False]
    same(x * float("nan"), [np.nan, np.nan])


def test_arrays_that_jax_traces_are_not_kept(monkeypatch):
    monkeypatch.setattr(_convert, "_known", {})

    def traced(array):
        x = proa.core.new_tensor(array)
        return (x * 123.5)._data

    same(proa.core.new_tensor(jax.jit(traced)(np.ones(2, "float32"))), [123.5, 123.5])
    assert not [v for v in _convert._known.values() if isinstance(v, Tracer)]


def test_the_number_of_kept_arrays_is_bounded(monkeypatch):
    monkeypatch.setattr(_convert, "_MAX_KNOWN", 3)
    monkeypatch.setattr(_convert, "_known", {})
    x = proa.ones([2])
    for number in range(10):
        same(x + number, [number + 1.0] * 2)
    assert len(_convert._known) == 3


def test_errors():
    with pytest.raises(TypeError, match="`y` of op `add` is None"):
        convert_inputs(ADD, (proa.ones([1]), None))
    with pytest.raises(ValueError, match="value 300 does not fit uint8"):
        convert_inputs(ADD, (proa.ones([1], "uint8"), 300))


def test_numbers_beside_a_random_key_do_not_take_its_dtype():
    drawn = proa.randint(-5, -2, [20])
    assert drawn.dtype == "int64"
    assert set(drawn.tolist()) <= {-5, -4, -3}


def test_an_empty_list_is_an_index_and_a_float_is_none():
    x = proa.arange(3)
    same(proa.gather(x, []), np.zeros([0]), "int64")
    with pytest.raises(TypeError, match="`index` of `gather` is a float32 tensor"):
        proa.gather(x, 1.5)

"""Values as an object of their own: printed as Paddle 3.3.1 prints them."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import DenseTensor, InvalidArgumentError, PreconditionError

TEXT = """  - shape: {}
  - layout: NCHW
  - place: Place(cpu)
  - dtype: {}
  - data: [{}]"""


@pytest.mark.parametrize(
    ("values", "shape", "printed"),
    [
        (np.float32([[1.5, -2, 0.1], [3e10, 1e-7, 7]]), [2, 3], "1.5 -2 0.1 3e+10 1e-07 7"),
        (np.array([[1, 2]]), [1, 2], "1 2"),
        (np.array([True, False]), [2], "1 0"),
        (np.float64(2.5), [], "2.5"),
        (np.complex64([1 + 2j]), [1], "1+2j"),
        (np.float16([1.5, np.nan]), [2], "1.5 nan"),
        (np.zeros([0, 2], "float32"), [0, 2], ""),
    ],
)
def test_printing(values, shape, printed):
    found = str(proa.to_tensor(values).get_tensor())
    assert found == TEXT.format(shape, values.dtype, printed)


def test_the_middle_of_many_values_is_left_out():
    found = str(proa.arange(3000).get_tensor())
    assert " 498 499 ... 2500 2501 " in found
    assert found.endswith(" 2999]")


def test_values_are_those_of_the_tensor():
    x = proa.to_tensor([1.0, 2.0])
    values = x.get_tensor()
    values.set(np.float32([3, 4]), proa.CPUPlace())
    assert x.tolist() == [3, 4]
    x.add_(proa.ones([2]))
    array = np.array(values)
    assert array.tolist() == [4, 5]
    array[0] = 9
    assert (x.tolist(), values.shape(), values.lod()) == ([4, 5], [2], [])
    assert np.asarray(values, "int64").dtype == np.int64
    with pytest.raises(InvalidArgumentError, match="a value of shape"):
        values.set(np.ones(3))


def test_empty_ones_take_any_values():
    values = DenseTensor()
    assert repr(values) == "DenseTensor without values"
    with pytest.raises(PreconditionError, match="without values was read"):
        np.array(values)
    for given in (np.float32([1, 2]), np.array([[3]])):
        values.set(given)
        assert np.array(values).tolist() == given.tolist()


def test_parameters_of_a_program_that_is_being_built(tmp_path):
    with static.program_guard(static.Program()):
        layer = proa.nn.Linear(2, 2)
        with proa.no_grad():
            layer.weight.add_(proa.ones([2, 2]))
        values = layer.weight.get_tensor()
        assert values.shape() == [2, 2]
        assert np.isfinite(np.array(values)).all()
        proa.save(values, str(tmp_path / "weight.pdtensor"))
    found = proa.load(str(tmp_path / "weight.pdtensor"))
    assert found.numpy().tolist() == layer.weight.numpy().tolist()


def test_rows_in_sequences():
    values = DenseTensor()
    values.set(np.zeros([6, 1], "float32"))
    assert values.has_valid_recursive_sequence_lengths()
    values.set_recursive_sequence_lengths([[2, 1], [2, 3, 1]])
    assert values.lod() == [[0, 2, 3], [0, 2, 5, 6]]
    assert values.recursive_sequence_lengths() == [[2, 1], [2, 3, 1]]
    assert values.has_valid_recursive_sequence_lengths()
    assert repr(values).startswith("  - lod: {{0, 2, 3}, {0, 2, 5, 6}}\n  - shape: [6, 1]")
    values.set_lod([[0, 2, 3]])
    assert not values.has_valid_recursive_sequence_lengths()
    for wrong in ([[1, 2]], [[0, 3, 2]], [[]]):
        with pytest.raises(InvalidArgumentError, match="offsets of sequences"):
            values.set_lod(wrong)

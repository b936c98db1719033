from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.distributed as dist
from proa.core import UnsupportedError


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("rows", ()), ("get_map_tensor", ()), ("set_vocab", ({},)), ("set_string_list", (["a"],))],
)
def test_other_kinds_are_not_there(name, arguments):
    with pytest.raises(UnsupportedError, match=rf"`Tensor\.{name}`(.|\n)*dense and sparse"):
        getattr(proa.ones([1]), name)(*arguments)


def test_a_dense_tensor_answers_for_what_it_is_not():
    x = proa.ones([1])
    assert x.block is x.placements is x.process_mesh is x.num_shard is x.get_selected_rows() is None


def test_a_laid_out_tensor_counts_its_parts():
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
    laid = dist.shard_tensor(proa.ones([4, 2]), mesh, [dist.Shard(0), dist.Replicate()])
    assert laid.num_shard == 2
    assert laid.process_mesh is mesh


def test_gradient_under_its_other_name():
    x = proa.to_tensor([2.0], stop_gradient=False)
    assert x.grad_ is None
    (x * x).backward()
    assert x.grad_.tolist() == [4.0]
    x.grad_ = proa.to_tensor([1.0])
    assert x.grad.tolist() == [1.0]


def test_a_tensor_becomes_another_one():
    x, other = proa.ones([2]), proa.to_tensor([[5]])
    x.reconstruct_from_(other)
    assert x.tolist() == [[5]]
    assert x.dtype == "int64"
    other += 1
    assert x.tolist() == [[5]]
    x.set_tensor(np.float32([1.5]))
    assert x.tolist() == [1.5]


def test_tensors_are_made_from_the_class():
    made = proa.Tensor.create_tensor("int32", "mine", True)
    assert (made.shape, made.dtype, made.name, made.persistable) == ([0], "int32", "mine", True)
    assert proa.Tensor.create_parameter([2], "float32", is_bias=True).tolist() == [0.0, 0.0]


def test_transforms_of_signals_are_methods():
    x = proa.arange(16, dtype="float32")
    window = proa.ones([4])
    spectrum = x.stft(4, window=window)
    assert spectrum.shape == proa.signal.stft(x, 4, window=window).shape
    back = spectrum.istft(4, window=window)
    np.testing.assert_allclose(back.numpy(), x.numpy(), atol=1e-5)


def test_words_for_strings_and_bytes_are_dtypes():
    assert repr(proa.pstring) == "paddle.pstring"
    assert proa.pstring != proa.raw
    with pytest.raises(TypeError):
        proa.to_tensor([1.0], dtype=proa.pstring)

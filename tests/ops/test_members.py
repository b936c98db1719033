from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import same

X = proa.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

ANSWERS = {
    "dim": 2,
    "ndimension": 2,
    "dense_dim": 2,
    "sparse_dim": 0,
    "element_size": 4,
    "get_strides": [3, 1],
    "stride": [3, 1],
    "is_contiguous": True,
    "is_dense": True,
    "is_sparse": False,
    "is_sparse_coo": False,
    "is_sparse_csr": False,
    "is_selected_rows": False,
    "get_device": -1,
}
PROPERTIES = {
    "ndim": 2,
    "itemsize": 4,
    "nbytes": 24,
    "strides": [3, 1],
    "offset": 0,
    "layout": "NCHW",
    "device": "cpu",
    "is_cuda": False,
    "is_parameter": False,
    "requires_grad": False,
    "grad_fn": None,
    "place": proa.CPUPlace(),
    "type": "VarType.DENSE_TENSOR",
}


@pytest.mark.parametrize(("name", "want"), ANSWERS.items())
def test_methods(name, want):
    assert getattr(X, name)() == want


@pytest.mark.parametrize(("name", "want"), PROPERTIES.items())
def test_properties(name, want):
    assert getattr(X, name) == want


@pytest.mark.parametrize("name", ["cpu", "contiguous", "pin_memory", "to_dense", "value"])
def test_members_that_return_the_tensor_itself(name):
    assert getattr(X, name)() is X


def test_stride_of_one_axis_and_shape_equality():
    assert X.stride(0) == 3
    assert X.is_same_shape(proa.zeros([2, 3]))
    assert not X.is_same_shape(proa.zeros([3, 2]))


CONVERSIONS = [
    (("float64",), {}, "float64"),
    (("cpu",), {}, "float32"),
    (("cpu", "float16"), {}, "float16"),
    ((proa.CPUPlace(), "float16", True), {}, "float16"),
    ((proa.to_tensor([1]),), {}, "int64"),
    ((), {"device": "cpu", "dtype": "int8", "blocking": True}, "int8"),
    ((), {"other": proa.to_tensor([1])}, "int64"),
    ((np.int32,), {}, "int32"),
]


@pytest.mark.parametrize(("args", "kwargs", "dtype"), CONVERSIONS)
def test_to(args, kwargs, dtype):
    assert X.to(*args, **kwargs).dtype == dtype


def test_to_changes_nothing_where_nothing_is_asked():
    assert X.to("float32") is X


def test_gradients_pass_through_to():
    x = proa.to_tensor([1.0], stop_gradient=False)
    (x.to("float64") * 3).backward()
    same(x.grad, [3.0], "float32")


def test_moving_to_a_device_that_is_not_there():
    with pytest.raises(KeyError, match="device"):
        X.cuda()


def test_to_refuses_what_it_does_not_know():
    with pytest.raises(TypeError, match="`to` got 3"):
        X.to(3)
    with pytest.raises(TypeError, match="`to` got color"):
        X.to(color="red")


def test_requires_grad_is_the_opposite_of_stop_gradient():
    x = proa.ones([1])
    assert x.requires_grad_() is x
    assert not x.stop_gradient
    x.requires_grad = False
    assert x.stop_gradient
    assert (proa.ones([1]).requires_grad_() * 2).grad_fn is not None


def test_apply():
    x = proa.to_tensor([1.0, 2.0])
    same(x.apply(lambda v: v + 1), [2.0, 3.0])
    same(x, [1.0, 2.0])
    assert x.apply_(lambda v: v * 3) is x
    same(x, [3.0, 6.0])


@pytest.mark.parametrize("name", ["apply", "apply_"])
def test_apply_refuses_tensors_that_want_a_gradient(name):
    with pytest.raises(RuntimeError, match=f"`{name}` on a tensor with stop_gradient=False"):
        getattr(proa.ones([1]).requires_grad_(), name)(lambda v: v)


def test_set_takes_over_values_shape_and_dtype():
    x = proa.ones([2])
    assert x.set_(proa.to_tensor([[1, 2, 3]])) is x
    same(x, [[1, 2, 3]], "int64")
    assert x.set_().shape == [0]
    same(x.set_(proa.arange(6), [2, 2], [3, 1], 8), [[1, 2], [4, 5]], "int64")
    same(x.set_(proa.arange(6), shape=[2, 3]), [[0, 1, 2], [3, 4, 5]], "int64")


def test_dlpack():
    same(proa.to_tensor(np.from_dlpack(X)), X.numpy())
    assert X.__dlpack_device__()[0] == 1
    with pytest.raises(RuntimeError, match="DLPack of a tensor with stop_gradient=False"):
        proa.ones([1]).requires_grad_().__dlpack__()


def test_data_ptr_tells_buffers_apart():
    assert X.data_ptr() == X.data_ptr()
    assert X.clone().data_ptr() != X.data_ptr()


def test_resize_keeps_the_order_of_elements():
    x = proa.arange(6, dtype="float32")
    assert x.resize_([2, 2]) is x
    same(x, [[0, 1], [2, 3]], "float32")
    same(x.resize_([6], fill_zero=True), [0, 1, 2, 3, 0, 0])
    with pytest.raises(RuntimeError, match="`resize_` of a tensor with stop_gradient=False"):
        proa.ones([2]).requires_grad_().resize_([1])


def test_only_laid_out_tensors_are_distributed():
    mesh = proa.distributed.ProcessMesh([0])
    assert not X.is_dist()
    assert proa.distributed.shard_tensor(proa.ones([2]), mesh, []).is_dist()


def test_tensors_know_whether_they_hold_one_array():
    source, x = proa.to_tensor([1.0]), proa.to_tensor([2.0])
    assert not x._is_shared_buffer_with(source)
    x.set_(source)
    assert x._is_shared_buffer_with(source)
    x.add_(source)
    assert not x._is_shared_buffer_with(source)
    assert source.tolist() == [1.0]


def test_offset_of_views_in_bytes():
    x = proa.to_tensor([[1, 2, 3], [4, 5, 6]])
    assert (x.offset, x[1].offset, x[1][2].offset, x[:, 1:].offset) == (0, 24, 40, 8)
    assert (x.detach()[1].offset, x.T[1].offset, (x + 1).offset) == (24, 8, 0)

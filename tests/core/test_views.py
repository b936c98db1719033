from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, PreconditionError, become_view, replace_data
from tests.ops.harness import same

# Made from a tensor of shape [2, 3, 4]; as measured with paddle 3.3.1.
VIEWS = {
    "reshape": lambda x: proa.reshape(x, [6, 4]),
    "view": lambda x: x.view([24]),
    "view of bytes": lambda x: x.view("int32"),
    "view_as": lambda x: x.view_as(proa.zeros([24])),
    "transpose": lambda x: proa.transpose(x, [1, 0, 2]),
    "t": lambda x: x.reshape([6, 4]).t(),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "moveaxis": lambda x: x.moveaxis(0, 1),
    "permute": lambda x: x.permute(1, 0, 2),
    "squeeze": lambda x: x.unsqueeze(0).squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "flatten": lambda x: x.flatten(1),
    "unflatten": lambda x: x.unflatten(2, [2, 2]),
    "integer": lambda x: x[0],
    "slice": lambda x: x[:, 1:],
    "slice with a step": lambda x: x[:, :, ::2],
    "slice backwards": lambda x: x[:, ::-1],
    "None": lambda x: x[None],
    "ellipsis": lambda x: x[...],
    "slice op": lambda x: proa.slice(x, [0], [0], [1]),
    "strided_slice": lambda x: proa.strided_slice(x, [2], [0], [4], [2]),
    "narrow": lambda x: x.narrow(0, 0, 1),
    "unbind": lambda x: proa.unbind(x, 0)[0],
    "diagonal": lambda x: proa.diagonal(x),
    "as_strided": lambda x: proa.as_strided(x, [2, 2], [1, 2]),
    "unfold": lambda x: x.unfold(0, 1, 1),
    "detach": lambda x: x.detach(),
    "atleast_3d": lambda x: proa.atleast_3d(x),
}
COPIES = {
    "list": lambda x: x[[0, 1]],
    "split": lambda x: proa.split(x, 2, 0)[0],
    "chunk": lambda x: proa.chunk(x, 2, 0)[0],
    "unstack": lambda x: proa.unstack(x, 0)[0],
    "tensor_split": lambda x: proa.tensor_split(x, 2, 0)[0],
    "hsplit": lambda x: proa.hsplit(x, 3)[0],
    "expand": lambda x: x.expand([2, 2, 3, 4]),
    "broadcast_to": lambda x: x.broadcast_to([2, 2, 3, 4]),
    "crop": lambda x: proa.crop(x, [1, 2, 2]),
    "index_select": lambda x: proa.index_select(x, proa.to_tensor([0])),
    "clone": lambda x: x.clone(),
    "cast": lambda x: x.cast("float32"),
    "flip": lambda x: x.flip([0]),
    "tile": lambda x: proa.tile(x, [1, 1, 1]),
    "roll": lambda x: proa.roll(x, 0),
}


def base():
    return proa.to_tensor(np.arange(1, 25, dtype="float32").reshape(2, 3, 4))


@pytest.mark.parametrize("name", [*VIEWS, *COPIES])
def test_which_ops_share_values(name):
    make = VIEWS.get(name) or COPIES[name]
    x = base()
    part = make(x)
    part.zero_()
    assert (x.numpy() == 0).any() == (name in VIEWS), "a write to the part"
    x = base()
    part = make(x)
    before = part.numpy()
    x.zero_()
    assert (part.numpy() != before).any() == (name in VIEWS), "a write to the base"


def test_writes_travel_through_views_of_views_and_to_siblings():
    x = base()
    rows, flat = x.reshape([6, 4]), x.flatten()
    inner = rows[1].unsqueeze(0)
    inner[0, 2] = -5.0
    assert x[0, 1, 2].item() == -5.0
    assert flat[6].item() == -5.0
    flat[6] = 8.0
    assert inner[0, 2].item() == 8.0


def test_gradients_follow_writes_through_views():
    x = proa.to_tensor([1.0, 1.0, 1.0, 1.0], stop_gradient=False)
    y = x * 1
    y[:2].multiply_(proa.to_tensor([3.0, 3.0]))
    (y * y).sum().backward()
    # y = [3x, 3x, x, x], so d(y^2)/dx = [18x, 18x, 2x, 2x].
    same(x.grad, [18.0, 18.0, 2.0, 2.0], "float32")


def test_a_write_brings_a_tensor_onto_the_tape():
    x, weight = proa.zeros([2, 2]), proa.to_tensor([1.0, 2.0], stop_gradient=False)
    row = x[0]
    x[0] = weight * 3
    assert not row.stop_gradient
    (row * row).sum().backward()
    same(weight.grad, [18.0, 36.0], "float32")


def test_detached_views_share_values_without_gradients():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    shared = x.detach()
    assert shared.stop_gradient
    shared[0] = 5.0
    same(x, [5.0, 2.0], "float32")
    assert not x.stop_gradient
    assert x.is_leaf
    (x * x).sum().backward()
    same(x.grad, [10.0, 4.0], "float32")
    y = x * 1
    assert y.detach_() is y
    assert y.stop_gradient


def test_a_write_behind_a_detached_view_leaves_the_leaf_a_leaf():
    weight = proa.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    shared = weight.detach()
    shared[0][0] = 9.0
    weight[1].detach()[1:] = 8.0
    same(weight, [[9.0, 2.0], [3.0, 8.0]], "float32")
    assert weight.is_leaf
    assert not weight.stop_gradient


@pytest.mark.parametrize("write", [lambda t: t.zero_(), lambda t: t.fill_(0.0)])
def test_a_constant_in_a_computed_values_place_has_no_gradient(write):
    x = proa.to_tensor([3.0], stop_gradient=False)
    y = x * 2
    write(y)
    (y + x * 5).sum().backward()
    same(x.grad, [5.0], "float32")
    x.clear_grad()
    z = x * 2
    write(z)
    z.sum().backward()
    same(x.grad, [0.0], "float32")


def test_writes_to_wanted_leaves_are_refused():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    for write in (
        lambda: x.add_(proa.ones([2])),
        lambda: x.__setitem__(0, 1.0),
        lambda: x[:1].zero_(),
        lambda: x.reshape([2, 1]).zero_(),
    ):
        with pytest.raises(PreconditionError, match="an in-place write to leaf tensor"):
            write()
    with proa.no_grad():
        x[0] = 7.0
    same(x, [7.0, 2.0], "float32")
    assert not x.stop_gradient


def test_in_place_results_must_have_the_shape_and_take_the_dtype():
    x = proa.ones([2])
    with pytest.raises(InvalidArgumentError, match=r"an in-place op .* gives shape \[2, 2\]"):
        x.add_(proa.ones([2, 2]))
    n = proa.to_tensor([1, 2])
    n.add_(proa.to_tensor([0.6, 0.6]))
    same(n, [1, 2], "int64")


def test_each_write_counts():
    x = proa.ones([2, 2])
    row = x[0]
    assert x.inplace_version == 0
    row[0] = 2.0
    x.zero_()
    assert x.inplace_version == 2
    assert row.inplace_version == 2


def test_set_value_keeps_the_dtype_and_refuses_other_shapes():
    x = proa.ones([2])
    row = x.reshape([1, 2])
    x.set_value(np.array([3, 4]))
    same(row, [[3.0, 4.0]], "float32")
    assert x.copy_(proa.to_tensor([5.0, 6.0])) is x
    for value in (np.ones((1, 2)), 1.0):
        with pytest.raises(InvalidArgumentError, match="set_value on"):
            x.set_value(value)


def test_data_shows_and_replaces_the_values():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    x.data[0] = 9.0
    same(x, [9.0, 2.0], "float32")
    x.data = proa.ones([3])
    assert x.shape == [3]
    replace_data(x, np.zeros(2, "float32"))
    assert x.shape == [2]


def test_views_keep_their_base_but_not_the_other_way_round():
    x = base()
    part = x[0]
    gone = weakref.ref(x[1])
    gc.collect()
    assert gone() is None
    assert len(x._views) == 1
    kept = weakref.ref(x)
    del x
    gc.collect()
    assert kept() is not None
    assert part._view.base is kept()


def test_become_view_keeps_base_and_views_connected():
    x = proa.zeros([2, 3])
    flat, columns = x.flatten(), x.t()
    become_view(columns, lambda former: former.reshape([6]))
    columns[0] = 1.0
    columns[1] = 2.0
    same(x, [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], "float32")
    same(flat, [1.0, 0.0, 0.0, 2.0, 0.0, 0.0], "float32")


@pytest.mark.parametrize(
    "call",
    [lambda: proa.tanh_([1.0]), lambda: proa.t_([1.0]), lambda: proa.abs(proa.ones([1]), out=2)],
)
def test_only_tensors_can_be_overwritten(call):
    with pytest.raises(TypeError, match="an in-place op, or `out=`, on "):
        call()


def test_out_takes_over_shape_and_dtype():
    x = proa.to_tensor([[1.0, 2.0]], stop_gradient=False)
    out = proa.empty([0], "int64")
    assert proa.multiply(x, x, out=out) is out
    assert (out.tolist(), out.dtype) == ([[1.0, 4.0]], "float32")
    out.sum().backward()
    assert x.grad.tolist() == [[2.0, 4.0]]


def test_out_that_is_a_view_keeps_its_shape():
    base = proa.zeros([2, 2])
    proa.add(proa.ones([2]), proa.ones([2]), out=base[0])
    assert base.tolist() == [[2.0, 2.0], [0.0, 0.0]]
    with pytest.raises(ValueError, match="gives shape"):
        proa.add(proa.ones([3]), proa.ones([3]), out=base[0])
    row = base[1]
    with pytest.raises(ValueError, match="gives shape"):
        proa.add(proa.ones([3]), proa.ones([3]), out=base)
    assert row.tolist() == [0.0, 0.0]


def test_out_that_wants_a_gradient_is_refused():
    leaf = proa.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(RuntimeError, match="leaf tensor"):
        proa.add(proa.ones([2]), proa.ones([2]), out=leaf)

from __future__ import annotations

import pickle

import numpy as np
import pytest

import proa
import proa.distributed as dist
from proa.core import InvalidArgumentError, InvalidTypeError

nn = proa.nn


@pytest.fixture(scope="module")
def mesh():
    return dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["data", "model"])


def test_a_marked_tensor_lies_in_parts_and_has_the_values_of_the_whole(mesh):
    data = np.arange(24, dtype=np.float32).reshape(4, 6)
    t = dist.shard_tensor(data, mesh, [dist.Shard(0), dist.Shard(1)])
    assert {shard.data.shape for shard in t._data.addressable_shards} == {(2, 3)}
    np.testing.assert_array_equal(t.numpy(), data)
    np.testing.assert_array_equal(dist.unshard_dtensor(t).numpy(), data)
    whole = dist.reshard(t, mesh, [dist.Replicate(), dist.Replicate()])
    assert {shard.data.shape for shard in whole._data.addressable_shards} == {(4, 6)}


def test_a_parameter_is_marked_in_place(mesh):
    layer = nn.Linear(4, 8)
    before = layer.weight.numpy()
    marked = dist.shard_tensor(layer.weight, mesh, [dist.Replicate(), dist.Shard(1)])
    assert marked is layer.weight
    np.testing.assert_array_equal(layer.weight.numpy(), before)


def train(mesh, mark, compiled, steps=4):
    proa.seed(0)
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 4))
    if mesh is not None:
        mark(net)
        dist.shard_layer(net, mesh)
    optimizer = proa.optimizer.Adam(0.01, parameters=net.parameters())

    def step(x, y):
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    run = proa.jit.to_static(step, full_graph=True) if compiled else step
    random, losses = np.random.default_rng(0), []
    for _ in range(steps):
        x = proa.to_tensor(random.normal(size=(8, 8)).astype(np.float32))
        y = proa.to_tensor(random.integers(0, 4, size=(8,)))
        if mesh is not None:
            x, y = (dist.shard_tensor(t, mesh, [dist.Shard(0)]) for t in (x, y))
        losses.append(float(run(x, y)))
    return losses


def tensor_parallel(mesh):
    def mark(net):
        dist.shard_tensor(net[0].weight, mesh, [dist.Replicate(), dist.Shard(1)])
        dist.shard_tensor(net[0].bias, mesh, [dist.Replicate(), dist.Shard(0)])
        dist.shard_tensor(net[3].weight, mesh, [dist.Replicate(), dist.Shard(0)])

    return mark


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("kind", ["data", "tensor"])
def test_training_with_marks_equals_training_without(mesh, kind, compiled):
    mark = tensor_parallel(mesh) if kind == "tensor" else lambda net: None
    alone = train(None, None, compiled)
    np.testing.assert_allclose(train(mesh, mark, compiled), alone, rtol=1e-5)


def test_a_loaders_batches_are_split_and_odd_ones_kept_whole(mesh):
    batches = [[proa.ones([4, 2]), proa.ones([4])], [proa.ones([3, 2]), proa.ones([3])]]
    loader = dist.shard_dataloader(batches, mesh, shard_dims="data")
    assert len(loader) == 2
    even, odd = list(loader)
    assert {s.data.shape for s in even[0]._data.addressable_shards} == {(2, 2)}
    assert {s.data.shape for s in odd[0]._data.addressable_shards} == {(3, 2)}


def test_what_does_not_divide_is_refused(mesh):
    with pytest.raises(InvalidArgumentError, match=r"axis 0 of a tensor of shape \[3, 2\]"):
        dist.shard_tensor(proa.ones([3, 2]), mesh, [dist.Shard(0)])


def test_marks_inside_a_compiled_function_are_constraints(mesh):
    @proa.jit.to_static(full_graph=True)
    def double(x):
        return dist.shard_tensor(x * 2, mesh, [dist.Shard(0)])

    out = double(proa.ones([4, 2]))
    np.testing.assert_array_equal(out.numpy(), np.full((4, 2), 2.0))
    assert {s.data.shape for s in out._data.addressable_shards} == {(2, 2)}


def test_gradients_pass_through_marks(mesh):
    x = proa.ones([4, 2])
    x.stop_gradient = False
    dist.shard_tensor(x, mesh, [dist.Shard(0)]).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.ones((4, 2)))


def test_sharded_weights_stay_sharded_when_values_are_loaded(mesh):
    layer = nn.Linear(4, 8)
    dist.shard_tensor(layer.weight, mesh, [dist.Replicate(), dist.Shard(1)])
    sharding = layer.weight._data.sharding
    state = {name: t.numpy() * 2 for name, t in layer.state_dict().items()}
    layer.set_state_dict({name: proa.to_tensor(array) for name, array in state.items()})
    np.testing.assert_array_equal(layer.weight.numpy(), state["weight"])
    assert layer.weight._data.sharding == sharding


def test_a_sharded_tensor_is_pickled_whole(mesh):
    t = dist.shard_tensor(proa.ones([4, 6]), mesh, [dist.Shard(0)])
    copy = pickle.loads(pickle.dumps(t))
    assert copy.tolist() == t.tolist()
    assert copy.process_mesh is None


def test_a_step_compiled_before_the_marks_goes_on_after_them(mesh):
    def losses(mark):
        proa.seed(0)
        net = nn.Linear(4, 4)
        optimizer = proa.optimizer.Adam(0.1, parameters=net.parameters())

        @proa.jit.to_static(full_graph=True)
        def step(x):
            loss = (net(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        x = proa.to_tensor(np.arange(32, dtype=np.float32).reshape(8, 4) / 32)
        found = [float(step(x))]
        if mark:
            dist.shard_layer(net, mesh)
            found.append(float(step(x)))
            dist.shard_tensor(net.weight, mesh, [dist.Replicate(), dist.Shard(1)])
            x = dist.shard_tensor(x, mesh, [dist.Shard(0)])
        return found + [float(step(x)) for _ in range(4 - len(found))]

    np.testing.assert_allclose(losses(True), losses(False), rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda mesh: dist.shard_tensor(proa.ones([4]), None, []), InvalidTypeError, "`mesh` is"),
        (lambda mesh: dist.shard_layer(nn.Linear(2, 2), "x"), InvalidTypeError, "`mesh` is 'x'"),
        (lambda mesh: dist.shard_dataloader([], []), InvalidTypeError, "`mesh` is"),
        (
            lambda mesh: dist.shard_dataloader([], mesh, shard_dims="z"),
            InvalidArgumentError,
            "axis 'z'",
        ),
        (
            lambda mesh: dist.shard_dataloader([], mesh, shard_dims=5),
            InvalidArgumentError,
            "axis 5",
        ),
    ],
)
def test_bad_marks_are_named(mesh, call, error, match):
    with pytest.raises(error, match=match):
        call(mesh)

from __future__ import annotations

import pytest

import proa
from proa.core import UnsupportedError


def test_a_single_process_passes_through():
    inner = proa.nn.Linear(2, 3)
    model = proa.DataParallel(inner)
    x = proa.ones([1, 2])
    assert model(x).tolist() == inner(x).tolist()
    assert [name for name, _ in model.named_parameters()] == ["_layers.weight", "_layers.bias"]
    with model.no_sync():
        loss = model.scale_loss(model(x).sum())
    loss.backward()
    model.apply_collective_grads()
    assert inner.bias.grad.tolist() == [1.0, 1.0, 1.0]


def test_files_fit_with_and_without_the_wrapper():
    model, other = proa.DataParallel(proa.nn.Linear(2, 3)), proa.nn.Linear(2, 3)
    assert list(model.state_dict()) == list(other.state_dict())
    model.set_state_dict(other.state_dict())
    assert model.state_dict()["weight"].tolist() == other.weight.tolist()


def test_two_processes_train_as_one(two_processes):
    assert all("data_parallel agrees" in text for text in two_processes)


def test_a_compiled_step_of_several_processes_is_refused():
    model = proa.DataParallel(proa.nn.Linear(2, 3))
    model._count = 2
    step = proa.jit.to_static(lambda x: model(x), full_graph=True)
    with pytest.raises(UnsupportedError, match=r"DataParallel of 2 processes(.|\n)*mesh"):
        step(proa.ones([1, 2]))

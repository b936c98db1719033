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


def test_several_processes_use_a_mesh(monkeypatch):
    monkeypatch.setattr("proa.distributed._data_parallel.get_world_size", lambda: 2)
    with pytest.raises(
        UnsupportedError, match=r"DataParallel in 2 processes(.|\n)*shard_dataloader"
    ):
        proa.DataParallel(proa.nn.Linear(2, 3))

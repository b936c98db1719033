from __future__ import annotations

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

import proa
from proa.core import InvalidArgumentError
from proa.distributed import ProcessMesh, Replicate, Shard
from proa.program.passes import apply_passes, sharding
from proa.program.passes._rewrite import attribute
from tests.program.passes.programs import normal, ops, record


def mesh():
    return Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("data", "model"))


def program():
    made, arrays = record(proa.nn.Linear(4, 6), ("batch", 4))
    for value, name in zip(made.captures, ("fc.weight", "fc.bias"), strict=True):
        value.name = name
    return made, arrays


def test_marks_are_added_and_results_stay():
    before, arrays = program()
    placements = {"x0": ["data"], "*.weight": [None, "model"], "fc": ["data", "model"]}
    after, report = apply_passes(before, [("sharding", {"mesh": mesh(), "placements": placements})])
    assert ops(after) == ["with_sharding", "with_sharding", "linear", "with_sharding"]
    assert len(report.steps[0].notes) == 3
    specs = [attribute(c, "sharding").spec for c in after.calls if c.op.name == "with_sharding"]
    assert specs[1] == PartitionSpec(None, "model")
    x = normal(4, 4)
    (expected,) = jax.jit(before.function())(x, *arrays)
    (got,) = jax.jit(after.function())(x, *arrays)
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    assert got.sharding.spec == PartitionSpec("data", "model")
    assert sharding(after, mesh(), placements) == (after, {})


def test_a_process_mesh_takes_its_placements():
    grid = ProcessMesh([[0, 1], [2, 3]], dim_names=["data", "model"])
    after, _ = sharding(program()[0], grid, {"*.weight": [Replicate(), Shard(1)]})
    (call,) = [c for c in after.calls if c.op.name == "with_sharding"]
    assert attribute(call, "sharding").spec == PartitionSpec(None, ("model",))


def test_nothing_to_mark_is_nothing_to_do():
    before, _ = program()
    assert sharding(before) == (before, {})


@pytest.mark.parametrize(
    ("grid", "placements", "what"),
    [
        (None, {"x0": ["data"]}, "placements and no mesh"),
        (mesh, {"y": ["data"]}, r"placements \['y'\] fit nothing"),
        (mesh, {"fc.bias": ["data", None]}, "the placement of `fc.bias`"),
        (mesh, {"fc.bias": ["pipe"]}, r"the placement of `fc.bias` is \['pipe'\]"),
        (mesh, {"fc.bias": [["data", "model"]]}, "the placement of `fc.bias`"),
        (mesh, {"fc.bias": "data"}, "the placement of `fc.bias` is 'data'"),
    ],
)
def test_placements_that_cannot_be_are_refused(grid, placements, what):
    with pytest.raises(InvalidArgumentError, match=what):
        sharding(program()[0], grid and grid(), placements)

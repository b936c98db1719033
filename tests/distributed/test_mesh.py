from __future__ import annotations

import pickle

import pytest

import proa.distributed as dist
from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError


def test_a_mesh_has_named_axes():
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["rows", "columns"])
    assert (mesh.shape, mesh.dim_names, mesh.process_ids) == (
        [2, 2],
        ["rows", "columns"],
        [0, 1, 2, 3],
    )
    assert mesh.get_dim_size("columns") == 2
    assert mesh.get_dim_size(-1) == 2
    names = ["rows", "columns"]
    assert mesh == dist.ProcessMesh(shape=[2, 2], process_ids=[0, 1, 2, 3], dim_names=names)
    assert mesh == dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["rows", "columns"])
    assert mesh != dist.ProcessMesh([[0, 1], [2, 3]])


def test_placements_become_partition_specs():
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["a", "b"])
    spec = mesh.sharding([dist.Shard(1), dist.Replicate()], 2).spec
    assert tuple(spec) == (None, "a")
    both = mesh.sharding([dist.Shard(0), dist.Shard(0)], 2).spec
    assert tuple(both)[0] == ("a", "b")
    assert dist.Shard(1).is_shard(1)
    assert not dist.Shard(1).is_replicated()
    assert dist.Replicate() == dist.Replicate()


BAD = [
    (lambda: dist.ProcessMesh([0, 1], dim_names=["a", "b"]), InvalidArgumentError, "2 axis names"),
    (lambda: dist.ProcessMesh(shape=[2]), InvalidArgumentError, "device numbers None"),
    (lambda: dist.ProcessMesh([0]).get_dim_size("x"), InvalidArgumentError, "axis 'x'"),
    (lambda: dist.ProcessMesh([0, 0]), InvalidArgumentError, "distinct numbers"),
    (lambda: dist.ProcessMesh([-1, 0]), InvalidArgumentError, "0 and more"),
    (lambda: dist.ProcessMesh([]), InvalidArgumentError, r"`mesh` is \[\]"),
    (lambda: dist.ProcessMesh(["a"]), InvalidArgumentError, "device numbers"),
    (lambda: dist.ProcessMesh([[0, 1], [2]]), InvalidArgumentError, "rows of equal length"),
    (lambda: dist.ProcessMesh([0.5]), InvalidArgumentError, "device numbers"),
    (lambda: dist.Shard("a"), InvalidTypeError, "`dim` of Shard is 'a'"),
    (lambda: dist.Shard(1.5), InvalidTypeError, "an integer"),
    (lambda: dist.ProcessMesh([0]).sharding(dist.Shard(0), 1), InvalidTypeError, "`placements` is"),
    (lambda: dist.ProcessMesh([0, 99]), PreconditionError, "FLAGS_num_cpu_devices=100"),
    (lambda: dist.ProcessMesh([0]).sharding([dist.Shard(2)], 2), InvalidArgumentError, "2 axes"),
    (lambda: dist.ProcessMesh([0]).sharding(["x"], 2), InvalidArgumentError, "placement 'x'"),
    (
        lambda: dist.ProcessMesh([0]).sharding([dist.Shard(0), dist.Shard(0)], 2),
        InvalidArgumentError,
        "2 placements",
    ),
]


@pytest.mark.parametrize(("make", "error", "match"), BAD)
def test_bad_meshes_and_placements_are_refused(make, error, match):
    with pytest.raises(error, match=match):
        make()


def test_a_mesh_can_be_pickled():
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["a", "b"])
    assert pickle.loads(pickle.dumps(mesh)) == mesh

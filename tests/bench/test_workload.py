"""The workloads are well formed, and their figures come from whom they name."""

from __future__ import annotations

import pytest

from bench._workload import CONTESTANTS, load_all
from bench.run import parsed

WORKLOADS = load_all()


@pytest.mark.parametrize("name", WORKLOADS)
def test_workload_is_one_kind_and_names_contestants(name: str) -> None:
    workload = WORKLOADS[name]
    assert sum(map(bool, (workload.build, workload.twins, workload.fresh))) == 1
    assert (workload.build is None) == (workload.batch is None)
    assert not workload.fresh or WORKLOADS[workload.fresh].build is not None
    for target in workload.targets:
        assert target.ours in CONTESTANTS
        assert target.ours not in workload.left_out
        assert set(target.peers) <= set(CONTESTANTS)
        assert not target.peers or set(target.peers) - set(workload.left_out)


def test_other_kinds_have_no_model() -> None:
    with pytest.raises(TypeError, match="add chain is not a training workload"):
        WORKLOADS["add chain"].model(None)
    with pytest.raises(TypeError, match="it has no batch"):
        WORKLOADS["add chain"].data()


def test_quick_bounds_the_whole() -> None:
    found = parsed(["--quick", "--rounds", "9"])
    assert (found.rounds, found.seconds, found.budget) == (2, 0.1, 110.0)
    assert parsed(["--budget", "60"]).budget == 60.0

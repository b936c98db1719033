from __future__ import annotations

import os

import pytest

import proa.io as io
from proa.core import PreconditionError
from proa.io._fetch import WAITING
from tests.io.samples import About


def test_the_main_process_has_no_worker_info():
    assert io.get_worker_info() is None


def test_worker_info_is_read_only():
    info = io.WorkerInfo(id=1, num_workers=2, dataset=None, seed=3)
    assert (info.id, info.num_workers, info.seed) == (1, 2, 3)
    with pytest.raises(PreconditionError, match="(?s)attribute `id` of a WorkerInfo.*Expected"):
        info.id = 2


def test_stages_start_with_waiting():
    assert WAITING == 0


def test_a_worker_knows_itself_and_has_no_device():
    batches = list(io.DataLoader(About(), batch_size=None, num_workers=2))
    assert sorted(info["id"] for info in batches) == [0, 1]
    first = batches[0]
    assert (first["num_workers"], first["dataset"]) == (2, "About")
    assert first["pid"] != os.getpid()
    assert batches[0]["seed"] != batches[1]["seed"]
    assert {info["devices started"] for info in batches} == {False}
    assert {info["platforms"] for info in batches} == {"cpu"}

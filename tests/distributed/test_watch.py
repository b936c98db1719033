"""A process that keeps others waiting is named, with the place where it stands."""

from __future__ import annotations

from pathlib import Path

from proa.distributed import launch


def test_the_missing_process_is_named_with_its_stack(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAGS_collective_patience", "1")
    monkeypatch.setenv("JAX_NUM_CPU_DEVICES", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    work = str(Path(__file__).with_name("late_comer.py"))
    assert launch(["--nproc_per_node", "2", "--log_dir", str(tmp_path), work]) == 0
    waiting, late = ((tmp_path / f"workerlog.{rank}").read_text() for rank in range(2))
    assert "both came" in waiting
    assert "process 0 has waited" in waiting
    assert "process 1 has not come (its last: reduce, number 1)" in waiting
    assert "in where_it_stands\n    time.sleep(6)" in waiting
    assert "has waited" not in late

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from parity._pool import Side, Worker, processor_seconds, run_tasks

_WORKER = str(Path(__file__).with_name("fake_worker.py"))


def _run(tmp_path, tasks, command=(sys.executable, _WORKER), workers=1):
    answers = {}
    side = Side("fake", command, tmp_path / "scratch")
    named = {str(index): task for index, task in enumerate(tasks)}
    run_tasks(side, "calls", named, limit=2.0, workers=workers, done=answers.__setitem__)
    return [answers[name] for name in named]


def test_a_crash_and_a_hang_are_counted_and_the_run_goes_on(tmp_path):
    answers = _run(tmp_path, ["a", "crash", "b", "hang", "c"])
    assert [each["status"] for each in answers] == ["ok", "crash", "ok", "timeout", "ok"]
    assert [answers[i]["task"] for i in (0, 2, 4)] == ["a", "b", "c"]
    assert len({answers[i]["pid"] for i in (0, 2, 4)}) == 3


def test_waiting_for_nothing_ends_early_and_work_does_not(tmp_path):
    worker = Worker(Side("fake", (sys.executable, _WORKER), tmp_path / "scratch"), "calls")
    if processor_seconds(worker.process.pid) is None:
        pytest.skip("the system does not tell how long processes have worked")
    try:
        assert worker.ask("work", limit=50.0, idle_limit=1.0)["status"] == "ok"
        started = time.monotonic()
        assert worker.ask("hang", limit=50.0, idle_limit=1.0) == {"status": "timeout"}
        assert time.monotonic() - started < 30
    finally:
        worker.stop()


def test_workers_share_the_tasks(tmp_path):
    answers = _run(tmp_path, list("abcdef"), workers=2)
    assert [each["task"] for each in answers] == list("abcdef")


def test_a_side_that_does_not_start_is_an_error(tmp_path):
    with pytest.raises(RuntimeError, match="fake does not start: the end of .*fake-calls.log"):
        _run(tmp_path, ["a"], command=(sys.executable, "-c", "raise SystemExit(1)"))


def test_a_run_that_fails_ends_at_once(tmp_path):
    side = Side("fake", (sys.executable, _WORKER), tmp_path / "scratch")

    def done(name, answer):
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_tasks(
            side, "calls", {"0": "a", "1": "hang", "2": "b"}, limit=50.0, workers=2, done=done
        )
    assert time.monotonic() - started < 30

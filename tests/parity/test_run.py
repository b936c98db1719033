from __future__ import annotations

import json

from parity import _run


def test_what_fails_with_one_seed_is_not_run_with_another(tmp_path, monkeypatch):
    asked = []

    def run_all(side, kind, tasks, **rest):
        asked.append(sorted(tasks))
        seed = len(asked) - 1
        bad = {0: {"hangs": "timeout"}, 1: {"sometimes": "error"}}[seed]
        return {name: {"status": bad.get(name, "ok"), "seed": seed} for name in tasks}

    monkeypatch.setattr(_run, "run_all", run_all)
    examples = {name: {"sources": []} for name in ("fine", "hangs", "sometimes", "known")}
    (tmp_path / "reference.json").write_text('{"known": [{"status": "ok"}]}')
    found = _run.read_reference(None, tmp_path, examples, 1)
    assert asked == [["fine", "hangs", "sometimes"], ["fine", "sometimes"]]
    assert [run["status"] for run in found["hangs"]] == ["timeout"]
    assert [run["status"] for run in found["sometimes"]] == ["ok", "error"]
    assert [run["seed"] for run in found["fine"]] == [0, 1]
    assert json.loads((tmp_path / "reference.json").read_text()) == found
    assert _run.read_reference(None, tmp_path, examples, 1) == found
    assert len(asked) == 2

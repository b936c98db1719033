from __future__ import annotations

import json

import numpy as np


def test_the_record_draws_three_runs_over_each_other(finished):
    record = json.loads((finished[0] / "run.json").read_text())
    names = [series["name"] for series in record["curves"]["loss"]["series"]]
    assert names == ["baseline", "data-parallel", "tensor-parallel"]
    assert np.sum(record["confusion"]["matrix"]) == 200
    page = (finished[0] / "report.html").read_text()
    assert "data-parallel" in page
    assert "<script" not in page

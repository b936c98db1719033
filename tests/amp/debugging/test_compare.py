from __future__ import annotations

import csv
from pathlib import Path

import pytest

import proa
from proa import amp
from proa.amp import debugging
from proa.amp.debugging import DebugMode, TensorCheckerConfig


def report(folder: Path, work) -> str:
    config = TensorCheckerConfig(True, DebugMode.CHECK_ALL, output_dir=str(folder))
    debugging.enable_tensor_checker(config)
    try:
        work()
    finally:
        debugging.disable_tensor_checker()
    return str(folder)


def rows(path: str) -> dict[tuple[str, str], dict[str, str]]:
    with Path(path).open(newline="") as table:
        return {(row["op"], row["call"]): row for row in csv.DictReader(table)}


def test_two_runs_side_by_side(tmp_path: Path):
    x = proa.full([2, 2], 300.0)

    def work():
        y = (x @ x).astype("float32")
        proa.log(y - 1e5)

    first = report(tmp_path / "first", work)
    with amp.auto_cast(dtype="float16"):
        second = report(tmp_path / "second", work)
    path = debugging.compare_accuracy(first, second, str(tmp_path / "out.xlsx"))
    assert path.endswith("out.csv")
    found = rows(path)
    product = found["matmul", "0"]
    assert (product["dtype_1"], product["dtype_2"]) == ("fp32", "fp16")
    assert product["max_1"] == "180000.0"
    assert product["remark"] == "not finite in the second run"
    assert found["cast", "1"]["remark"] == "only in the second run"


def test_scaled_gradients_are_compared_unscaled(tmp_path: Path):
    def work(scale):
        x = proa.ones([2])
        x.stop_gradient = False
        (proa.exp(x).sum() * scale).backward()

    first = report(tmp_path / "first", lambda: work(1.0))
    second = report(tmp_path / "second", lambda: work(1024.0))
    found = rows(debugging.compare_accuracy(first, second, str(tmp_path / "a.csv"), 1024.0))
    assert found["exp_grad", "0"]["remark"] == ""
    found = rows(debugging.compare_accuracy(first, second, str(tmp_path / "b.csv")))
    assert found["exp_grad", "0"]["remark"] == "means differ"


def test_wrong_arguments_are_refused(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="there is no report in"):
        debugging.compare_accuracy(str(tmp_path), str(tmp_path), "x.csv")
    with pytest.raises(NotImplementedError, match="dump_all_tensors=True"):
        debugging.compare_accuracy("a", "b", "x.csv", dump_all_tensors=True)

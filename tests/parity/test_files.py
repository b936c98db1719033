"""Model files of the third proof: written from rows and models, loaded, judged, in a table."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import proa.compat
from parity._files import chosen_rows, file_handler, file_name, read_handler, write_handler
from parity._files_report import FileOutcome, files_markdown, files_summary, run_files
from parity._models import save


@pytest.fixture
def paddle():
    proa.compat.install()
    yield sys.modules["paddle"]
    proa.compat.uninstall()


@pytest.mark.parametrize("key", ["paddle.nn.functional.softmax#1", "paddle.nn.Linear#1"])
def test_a_row_is_written_loaded_and_equal(paddle, tmp_path, key):
    prefix = str(tmp_path / file_name(key))
    assert file_handler(paddle)((key, prefix)) == {"status": "ok"}
    answer = read_handler(paddle)((prefix, True))
    assert (answer["status"], answer["wrong"]) == ("ok", "")
    held = dict(np.load(f"{prefix}.npz"))
    held["out0"] = held["out0"] + 1
    np.savez(f"{prefix}.npz", **held)
    assert "a difference of" in read_handler(paddle)((prefix, False))["wrong"]


def test_what_cannot_be_written_says_why(paddle, tmp_path):
    write = write_handler(paddle)
    answer = write(("paddle.linalg.matrix_exp#1", str(tmp_path / "net")))
    assert answer["status"] == "UnsupportedError"
    assert "matrix_exp" in answer["message"]
    assert write(("paddle.eye#1", str(tmp_path / "eye")))["status"] == "NoModel"


def test_a_model_without_variety_proves_nothing(paddle, tmp_path):
    sample = np.ones((2, 3), "float32")
    with pytest.raises(RuntimeError, match="proves nothing"):
        save(paddle, lambda x: x * 0, [([None, 3], "float32")], [sample], str(tmp_path / "net"))


def test_rows_are_functions_of_arrays():
    rows = chosen_rows()
    assert len(rows) > 1000
    assert not any(call.error or call.steps or call.differs for call in rows.values())


def test_a_run_judges_each_file(monkeypatch, tmp_path):
    answers = {
        "proa": {
            "paddle.abs#1": {"status": "ok"},
            "paddle.add#1": {"status": "ok"},
            "paddle.all#1": {"status": "UnsupportedError", "message": "no form"},
            "paddle.any#1": {"status": "ValueError", "message": "a defect"},
        },
        "paddle": {
            "paddle.abs#1": {"status": "ok", "worst": 1e-7, "wrong": ""},
            "paddle.add#1": {"status": "crash"},
        },
    }

    def run_all(side, kind, tasks, **rest):
        return {name: answers[side][name] for name in tasks}

    monkeypatch.setattr("parity._files_report.run_all", run_all)
    sides = {"proa": "proa", "paddle": "paddle"}
    pattern = r"^paddle\.(abs|add|all|any)#1$"
    files = run_files(sides, tmp_path, pattern, 1, {"paddle.add#1": "known"})
    found = {each.name: (each.difference, each.is_open, each.unwritten) for each in files}
    assert found == {
        "paddle.abs#1": ("", False, ""),
        "paddle.add#1": ("crash", False, ""),
        "paddle.all#1": ("", False, "UnsupportedError: no form"),
        "paddle.any#1": ("ValueError: a defect", True, "ValueError: a defect"),
    }


def test_the_table_counts_by_room_and_names_models():
    files = [
        FileOutcome("paddle.abs#1", "paddle", worst=1e-7),
        FileOutcome("paddle.add#1", "paddle", "crash", "known"),
        FileOutcome("paddle.all#1", "paddle", unwritten="UnsupportedError: no form"),
        FileOutcome("net", "models", worst=2e-6),
    ]
    text = files_markdown(files)
    assert "| paddle | 1 / 2 | 1 | 1.0e-07 |" in text
    assert "| net | 2.0e-06 |" in text
    assert "Refused: `paddle.all`." in text
    assert "| `paddle.add#1` | known |" in text
    assert "2 / 3 = 66.7%" in files_summary(files)[0]
    assert (files_markdown([]), files_summary([])) == ("", [])

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from proa.core import InvalidTypeError
from proa.io._payload import pack, unpack

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
from __future__ import annotations
import numpy as np
import proa.io
print("top")
class Sized(proa.io.Dataset):
    def __getitem__(self, index): return np.full(2, index + OFFSET)
    def __len__(self): return 4
OFFSET = 10
first = [b.tolist() for b in proa.io.DataLoader(Sized(), batch_size=4, num_workers=1)]
print(first)
class Later(Sized): pass
def join(samples: list[int | None]): return np.stack(samples)
if True:
    for batch in proa.io.DataLoader(Later(), batch_size=2, num_workers=2, collate_fn=join):
        print(batch.tolist())
print("end")
"""


class Plain:
    def __init__(self, transform):
        self.transform = transform


def run(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def test_arrays_are_shared_but_written_to_alone(monkeypatch):
    monkeypatch.chdir(os.getcwd())
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", [*sys.argv])
    descriptor = pack({"dataset": np.arange(100_000), "collate_fn": len})
    first, second = unpack(descriptor), unpack(descriptor)
    os.close(descriptor)
    first["dataset"][0] = 7
    assert (second["dataset"][0], second["dataset"][-1], second["collate_fn"]) == (0, 99_999, len)


@pytest.mark.parametrize(
    ("job", "text"),
    [
        (
            {"dataset": Plain(lambda x: x)},
            r"attribute `transform` \(function .*<lambda>\) of `dataset` \(class Plain\)",
        ),
        ({"dataset": [1], "collate_fn": lambda x: x}, r"`collate_fn` \(function .*<lambda>\)"),
        ({"dataset": [1], "worker_init_fn": lambda x: x}, r"`worker_init_fn` \(function .*"),
    ],
)
def test_what_cannot_be_pickled_is_named(job, text):
    wanted = f"(?s)^{text} cannot be sent to worker.*Expected: .*top level.*Fix: .*num_workers=0"
    with pytest.raises(InvalidTypeError, match=wanted):
        pack(job)


def test_a_local_class_is_named():
    class Local:
        pass

    with pytest.raises(InvalidTypeError, match="class test_a_local_class_is_named.*Local"):
        pack({"dataset": Local()})


def test_a_script_without_a_guard_runs_once(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    done = run(str(path))
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "top",
        "[[[10, 10], [11, 11], [12, 12], [13, 13]]]",
        "[[10, 10], [11, 11]]",
        "[[12, 12], [13, 13]]",
        "end",
    ]


def test_definitions_of_an_interactive_session_are_refused():
    code = SCRIPT.split("OFFSET =")[0] + "list(proa.io.DataLoader(Sized(), num_workers=1))"
    done = run("-c", code)
    assert "UnsupportedError: the dataset, or a function of the loader, is defined" in done.stderr
    assert "Fix: move them to a module" in done.stderr

"""Every public name that Paddle 3.3.1 has too can be called as there.

`paddle_3.3.1_signatures.json` records names with parameters, order, defaults. Ours may have more
parameters after Paddle's, and may ask for less. `pytest -k missing -s` prints what is not there.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.signatures import differences, lookup

RECORD: dict[str, str] = json.loads(
    Path(__file__).with_name("paddle_3.3.1_signatures.json").read_text(encoding="utf-8")
)
ROOMS = (
    *(
        "amp",
        "autograd",
        "callbacks",
        "compat",
        "cost_model",
        "cuda",
        "device",
        "distributed",
        "distribution",
        "framework",
        "functional",
        "inference",
        "io",
        "jit",
        "linalg",
    ),
    *("metric", "nn", "nn.functional", "nn.initializer", "nn.utils", "optimizer", "optimizer.lr"),
    *("geometric", "sparse", "text", "audio", "hub", "incubate", "fft", "signal", "special"),
    *(
        "random",
        "regularizer",
        "static",
        "sysconfig",
        "utils",
        "version",
        "vision",
        "vision.datasets",
        "vision.models",
        "vision.ops",
        "vision.transforms",
        "Tensor",
    ),
)

# Where ours differs, and why.
DIFFERENT = {
    **dict.fromkeys(
        ("paddle.Tensor.backward", "paddle.autograd.backward", "paddle.grad"),
        "no files of Paddle's own graph format are dumped (`dump_backward_graph_path`)",
    ),
    **dict.fromkeys(
        (f"paddle{owner}.{name}" for owner in ("", ".Tensor") for name in ("swapaxes", "swapdims")),
        "the record shows the undecorated transpose; called, Paddle takes (axis0, axis1) too",
    ),
    **dict.fromkeys(
        (
            f"paddle.callbacks.{n}.on_epoch_begin"
            for n in ("ModelCheckpoint", "ProgBarLogger", "VisualDL")
        ),
        "as in `Callback`: the loop always gives the epoch",
    ),
    "paddle.jit.TranslatedLayer": "made by `jit.load` only",
    "paddle.jit.to_static": "XLA is the compiler; no other backend is the default",
}


def by_room() -> dict[str, list[str]]:
    """Recorded names by the room they belong to."""
    found: dict[str, list[str]] = {"": [], **{room: [] for room in ROOMS}}
    for name in RECORD:
        inner = name.removeprefix("paddle.")
        owner = inner.rpartition(".")[0]
        while owner and owner not in found:
            owner = owner.rpartition(".")[0]
        if owner or "." not in inner or inner[0].isupper():
            found[owner].append(name)
    return found


def is_called_by_name(name: str) -> bool:
    """Special methods are called by operators, without names of parameters."""
    return not name.rpartition(".")[2].startswith("__")


@pytest.mark.parametrize("room", ["", *ROOMS], ids=lambda room: room or "paddle")
def test_calls_as_recorded(room):
    wrong = {}
    for name in by_room()[room]:
        try:
            target = lookup(name)
        except AttributeError:
            continue
        text = RECORD[name]
        if text == "?" or not callable(target) or not is_called_by_name(name):
            continue
        found = differences(name, text, target)
        if found and name not in DIFFERENT:
            wrong[name] = (text, found)
    assert not wrong, "\n".join(f"{name}{text}: {found}" for name, (text, found) in wrong.items())


@pytest.mark.parametrize("name", list(DIFFERENT))
def test_exceptions_are_needed(name):
    assert differences(name, RECORD[name], lookup(name))


# Rooms that are not built, or not wholly.
LATER = ("distributed", "inference", "jit", "utils.cpp_extension")


def is_later(room: str, name: str) -> bool:
    return any(f"{room}.".startswith(f"{later}.") for later in LATER) or ".cpp_extension" in name


def test_all_names_of_the_finished_rooms_are_there():
    rooms = by_room().items()
    missing = [n for room, names in rooms for n in names if not is_later(room, n) and not exists(n)]
    assert not missing


def test_missing_names_are_printed():
    missing = {room: [n for n in names if not exists(n)] for room, names in by_room().items()}
    present = Counter({room: len(names) - len(missing[room]) for room, names in by_room().items()})
    for room, names in missing.items():
        print(f"paddle.{room}: {present[room]} here, {len(names)} missing")
        print("   ", " ".join(names))
    assert present[""] > 400
    assert present["Tensor"] > 450


def exists(name: str) -> bool:
    """Whether we have a recorded name."""
    try:
        lookup(name)
    except AttributeError:
        return False
    return True


def f(x, axis=None, name=None):
    return x


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(x, axis=None, name=None)", []),
        ("(x, axis=0, name=None)", ["default of `axis` is None, not 0"]),
        ("(x, dim=None, name=None)", ["parameter 1 is `axis`, not `dim`"]),
        ("(x, axis=None, keepdim=False, name=None)", ["no `keepdim`"]),
        ("(x, axis=None, *, dtype=None)", ["no keyword `dtype`"]),
        ("(x, axis=None, out=None)", ["no `out`"]),
        ("()", ["`x` is required"]),
        ("(x, axis=<object>)", []),
        ("(*args, **kwargs)", []),
    ],
)
def test_differences_are_seen(text, expected):
    assert differences("paddle.f", text, f) == expected

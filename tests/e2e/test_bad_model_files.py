"""Model files that are damaged are refused in three parts, or read; nothing else happens."""

from __future__ import annotations

import random

import numpy as np
import pytest

from proa.core import ProaError
from proa.formats import read_model
from proa.formats.paddle._tensors import pack_tensors
from proa.jit import save
from proa.nn import Linear
from proa.ops import ones
from tests.formats.paddle.models import WEIGHTS, linear
from tests.formats.paddle.test_pir import BASE, content, fetch

HUGE = (b"\xff\xff\xff\xff\xff\xff\xff\x7f", b"\xff\xff\xff\x7f\xff\xff\xff\xff")


def damaged(kind, data, chance):
    made, place = bytearray(data), chance.randrange(len(data))
    if kind == "cut":
        return bytes(made[:place])
    if kind == "flipped":
        for _ in range(chance.choice([1, 3])):
            made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    elif kind == "huge":
        made[place : place + 8] = chance.choice(HUGE)
    elif kind == "noise":
        return chance.randbytes(place)
    return bytes(made)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Per ending, the content of a Program and of its weights."""
    folder = tmp_path_factory.mktemp("whole")
    save(Linear(3, 2), str(folder / "net"), [ones([1, 3])])
    weights = {"w": np.array([2, 3], np.float32)}
    return {
        "proa": ((folder / "net.proa").read_bytes(), None),
        "pdmodel": (linear().serialise(), pack_tensors(WEIGHTS)),
        "json": (content([*BASE, fetch(3, 0)]), pack_tensors(weights)),
    }


def outcome(folder, ending, program, weights):
    path = folder / f"model.{ending}"
    path.write_bytes(program)
    if weights is not None:
        path.with_suffix(".pdiparams").write_bytes(weights)
    try:
        read_model(path)
    except ProaError as error:
        text = str(error)
    else:
        return "read"
    assert "Expected:" in text
    assert "Fix:" in text
    return "refused"


@pytest.mark.parametrize("kind", ["cut", "flipped", "huge", "noise"])
@pytest.mark.parametrize("ending", ["proa", "pdmodel", "json"])
def test_damaged_files(models, tmp_path, ending, kind):
    program, weights = models[ending]
    assert outcome(tmp_path, ending, program, weights) == "read"
    chance = random.Random(f"{ending} {kind}")
    found = []
    for _ in range(30):
        found.append(outcome(tmp_path, ending, damaged(kind, program, chance), weights))
        if weights is not None:
            found.append(outcome(tmp_path, ending, program, damaged(kind, weights, chance)))
    # Paddle's files have no checksum: a bit may be part of a name, or of a weight.
    refused = found.count("refused") / len(found)
    assert refused > {"cut": 0.99, "noise": 0.99}.get(kind, 0.1)
    assert ending != "proa" or refused == 1


@pytest.mark.parametrize("ending", ["proa", "pdmodel", "json", "onnx"])
def test_files_of_another_kind(models, tmp_path, ending):
    for other, (program, weights) in models.items():
        if other != ending and {other, ending} != {"pdmodel", "json"}:
            assert outcome(tmp_path, ending, program, weights) == "refused"
    assert outcome(tmp_path, ending, b"", None) == "refused"

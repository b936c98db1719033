from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from proa.core import ArtifactError, InvalidTypeError, NotFoundError, ProaError
from proa.formats import read_artifact, read_paddle, write_artifact
from proa.formats.paddle._tensors import pack_tensor, pack_tensors
from proa.jit import Pipeline
from tests.formats.paddle.models import WEIGHTS, linear, linear_answer

X = np.array([[1, 2, 3], [-1, 0, 1]], np.float32)


@pytest.fixture
def pair(tmp_path):
    (tmp_path / "net.pdmodel").write_bytes(linear().serialise())
    (tmp_path / "net.pdiparams").write_bytes(pack_tensors(WEIGHTS))
    return tmp_path


def answers(artifact):
    (found,) = Pipeline(artifact).run([X])
    np.testing.assert_allclose(found, linear_answer(X))


def test_a_pair_by_its_files_its_prefix_or_its_folder(pair):
    for path in (pair / "net.pdmodel", pair / "net", pair):
        made = read_paddle(path)
        assert made.manifest["lineage"] == {
            "format": "paddle",
            "form": "desc",
            "program": "net.pdmodel",
        }
    answers(made)
    answers(read_artifact(write_artifact(made, pair / "again")))
    (pair / "net.pdiparams").rename(pair / "other")
    assert sorted(read_paddle(pair / "net", pair / "other").weights) == ["b", "w"]
    assert sorted(read_paddle(pair / "net", "other").weights) == ["b", "w"]


def test_an_old_folder_has_one_file_per_weight_or_all_in_one(tmp_path):
    (tmp_path / "__model__").write_bytes(linear().serialise())
    for name, array in WEIGHTS.items():
        (tmp_path / name).write_bytes(pack_tensor(array))
    answers(read_paddle(tmp_path))
    (tmp_path / "w").unlink()
    with pytest.raises(NotFoundError, match="weight 'w' has no file in"):
        read_paddle(tmp_path)
    made = linear()
    made.blocks[0].variables[1].name = "../w"
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "__model__").write_bytes(made.serialise())
    with pytest.raises(ArtifactError, match=r"weight '../w' would be a file outside of the folder"):
        read_paddle(tmp_path / "inner")
    (tmp_path / "__params__").write_bytes(pack_tensors(WEIGHTS))
    assert sorted(read_paddle(tmp_path / "__model__").weights) == ["b", "w"]
    (tmp_path / "w").write_bytes(pack_tensor(WEIGHTS["w"]) + b"x")
    with pytest.raises(ArtifactError, match="1 bytes follow the tensor in 'w'"):
        read_paddle(tmp_path, tmp_path)


def test_missing_files(pair):
    with pytest.raises(NotFoundError, match=r"no model of Paddle at '.*gone'"):
        read_paddle(pair / "gone")
    with pytest.raises(NotFoundError, match=r"the weights of '.*net.pdmodel' are not at '.*gone'"):
        read_paddle(pair / "net", "gone")
    with pytest.raises(InvalidTypeError, match="`path` is None"):
        read_paddle(None)


def test_files_that_do_not_belong_together(pair):
    (pair / "net.pdiparams").write_bytes(pack_tensors({**WEIGHTS, "b": np.ones(3, np.float32)}))
    with pytest.raises(ArtifactError, match=r"weight 'b' is float32\[3\], the Program has"):
        read_paddle(pair)
    (pair / "net.pdiparams").write_bytes(pack_tensors({**WEIGHTS, "z": np.ones(3, np.float32)}))
    with pytest.raises(ArtifactError, match="bytes follow the last of 2 tensors"):
        read_paddle(pair)


def test_truncated_and_altered_files_are_refused_clearly(pair):
    program, weights = pair / "net.pdmodel", pair / "net.pdiparams"
    content = weights.read_bytes()
    for length in range(0, len(content), 9):
        weights.write_bytes(content[:length])
        with pytest.raises(ArtifactError, match=r"net.pdiparams.* cannot be read"):
            read_paddle(pair)
    weights.write_bytes(content)
    content = program.read_bytes()
    random = np.random.default_rng(0)
    for number in range(60):
        altered = bytearray(content)
        altered[random.integers(len(content))] ^= 1 << random.integers(8)
        program.write_bytes(altered if number % 2 else content[: random.integers(len(content))])
        with suppress(ProaError):
            read_paddle(pair)

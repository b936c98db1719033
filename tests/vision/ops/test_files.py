from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import proa
from proa.vision import ops

PIXELS = np.add.outer(np.arange(16) * 8, np.arange(24) * 4)


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "picture.jpg"
    Image.fromarray(np.stack([PIXELS, 200 - PIXELS, PIXELS // 2], -1).astype("uint8")).save(path)
    return path


def test_read_file(picture):
    data = ops.read_file(str(picture))
    assert data.dtype == proa.uint8
    assert data.numpy().tobytes() == picture.read_bytes()


@pytest.mark.parametrize(("mode", "kind"), [("unchanged", "RGB"), ("rgb", "RGB"), ("gray", "L")])
def test_decode_jpeg(picture, mode, kind):
    got = ops.decode_jpeg(ops.read_file(picture), mode)
    want = np.atleast_3d(np.asarray(Image.open(picture).convert(kind))).transpose(2, 0, 1)
    assert got.dtype == proa.uint8
    np.testing.assert_array_equal(got.numpy(), want)


def test_a_grey_picture_keeps_its_channel(tmp_path):
    path = tmp_path / "grey.jpg"
    Image.fromarray(PIXELS.astype("uint8")).save(path)
    assert ops.decode_jpeg(ops.read_file(path)).shape == [1, 16, 24]
    assert ops.decode_jpeg(ops.read_file(path), "rgb").shape == [3, 16, 24]


def test_errors(picture, tmp_path):
    data = ops.read_file(picture)
    with pytest.raises(FileNotFoundError, match="there is no file .*missing.jpg"):
        ops.read_file(tmp_path / "missing.jpg")
    with pytest.raises(proa.core.InvalidArgumentError, match="`mode` of `decode_jpeg` is 'blue'"):
        ops.decode_jpeg(data, "blue")
    with pytest.raises(proa.core.InvalidArgumentError, match="a uint8 vector"):
        ops.decode_jpeg(proa.zeros([3]))
    with pytest.raises(proa.core.ArtifactError, match="is no whole image"):
        ops.decode_jpeg(data[:40])
    with pytest.raises(proa.core.ArtifactError, match="is no whole image"):
        ops.decode_jpeg(data[:-60])

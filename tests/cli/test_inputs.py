from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from proa.cli._inputs import ImageOptions, read_requests
from proa.core import InvalidArgumentError, NotFoundError

X = {"name": "x", "dtype": "float32", "shape": ["batch", 2]}
IDS = {"name": "ids", "dtype": "int64", "shape": ["batch"]}
PLAIN = ImageOptions()


def _image(folder, mode="RGB"):
    pixels = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    file = folder / "photo.png"
    Image.fromarray(pixels).convert(mode).save(file)
    return file, pixels


def test_arrays_and_json_are_taken_by_name(tmp_path):
    x, ids = np.float32([[1, 2]]), np.int64([3])
    np.savez(tmp_path / "a.npz", x=x, ids=ids)
    (tmp_path / "b.json").write_text(json.dumps({"x": [[1, 2]], "ids": [3]}))
    files = [tmp_path / "a.npz", tmp_path / "b.json"]
    for label, arrays in read_requests(files, [X, IDS], PLAIN):
        assert label in ("a.npz", "b.json")
        assert [a.dtype for a in arrays] == [np.float32, np.int64]
        assert [a.tolist() for a in arrays] == [[[1.0, 2.0]], [3]]


def test_npy_files_are_one_request_for_several_inputs_and_one_each_for_one(tmp_path):
    for name in "ab":
        np.save(tmp_path / f"{name}.npy", np.float32([[1, 2]]))
    files = [tmp_path / "a.npy", tmp_path / "b.npy"]
    assert [(n, len(a)) for n, a in read_requests(files, [X, IDS], PLAIN)] == [("a.npy, b.npy", 2)]
    assert [(n, len(a)) for n, a in read_requests(files, [X], PLAIN)] == [
        ("a.npy", 1),
        ("b.npy", 1),
    ]


def test_a_single_name_need_not_be_known(tmp_path):
    (tmp_path / "a.json").write_text('{"anything": [[1, 2]]}')
    (tmp_path / "b.json").write_text("[[1, 2]]")
    for _, (array,) in read_requests([tmp_path / "a.json", tmp_path / "b.json"], [X], PLAIN):
        assert (array.tolist(), array.dtype) == ([[1.0, 2.0]], np.float32)


def test_images_become_scaled_channels_first(tmp_path):
    file, pixels = _image(tmp_path)
    entry = {"name": "x", "dtype": "float32", "shape": ["batch", 3, "h", "w"]}
    options = ImageOptions(mean=(0.5, 0.25, 0.0), std=(2.0,), bgr=True)
    ((_, (array,)),) = read_requests([file], [entry], options)
    wanted = (pixels[..., ::-1].astype(np.float32) / 255 - np.float32([0.5, 0.25, 0])) / 2
    np.testing.assert_allclose(array, wanted.transpose(2, 0, 1)[None], rtol=1e-6, atol=1e-7)


def test_images_fit_what_the_model_says(tmp_path):
    file, pixels = _image(tmp_path)
    for shape, dtype, wanted in (
        ([4, 6, 3], "uint8", pixels),
        (["batch", 4, 6, 3], "uint8", pixels[None]),
    ):
        entry = {"name": "x", "dtype": dtype, "shape": shape}
        ((_, (array,)),) = read_requests([file], [entry], PLAIN)
        np.testing.assert_array_equal(array, wanted)
    for shape, options, wanted in (
        (["batch", 3, 8, 9], PLAIN, (1, 3, 8, 9)),
        (["batch", 1, "h", "w"], ImageOptions(size=(5, 7)), (1, 1, 5, 7)),
    ):
        entry = {"name": "x", "dtype": "float32", "shape": shape}
        ((_, (array,)),) = read_requests([file], [entry], options)
        assert array.shape == wanted
        assert 0 <= array.min() < array.max() <= 1


WRONG = {
    "missing.npy": (None, NotFoundError, "no file at"),
    "missing.png": (None, NotFoundError, "no file at"),
    "junk.npy": (b"junk", InvalidArgumentError, "cannot be read"),
    "junk.json": (b"{", InvalidArgumentError, "cannot be read"),
    "junk.png": (b"junk", InvalidArgumentError, "is no image"),
}


@pytest.mark.parametrize("name", WRONG)
def test_files_that_cannot_be_used_are_named(tmp_path, name):
    content, error, message = WRONG[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    entry = {"name": "x", "dtype": "float32", "shape": ["batch", 3, 4, 4]}
    with pytest.raises(error, match=message):
        read_requests([tmp_path / name], [entry], PLAIN)


def test_what_does_not_fit_the_model_is_refused(tmp_path):
    file, _ = _image(tmp_path)
    np.save(tmp_path / "a.npy", np.ones(2))
    (tmp_path / "one.json").write_text("[1]")
    (tmp_path / "other.json").write_text('{"y": 1, "ids": 2}')
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    whole = {"name": "x", "dtype": "uint8", "shape": ["batch", "h", "w", 3]}
    channels = {"name": "x", "dtype": "float32", "shape": ["batch", 3, "h", "w"]}
    for files, entries, options, message in (
        (["a.npy"], [X, IDS], PLAIN, r"1 file\(s\) for a model with 2 inputs"),
        ([file.name], [X, IDS], PLAIN, r"1 file\(s\) for a model with 2 inputs"),
        ([file.name], [X], PLAIN, r"an image for the input `x` of shape \['batch', 2\]"),
        (["one.json"], [X, IDS], PLAIN, "one.json holds one array"),
        (["other.json"], [X, IDS], PLAIN, r"other.json holds \['ids', 'y'\]"),
        (["objects.npy"], [X], PLAIN, "cannot be read"),
        ([file.name], [whole], ImageOptions(mean=(1.0,)), "--mean or --std for an input of uint8"),
        ([file.name], [channels], ImageOptions(std=(1.0, 2.0)), "2 numbers for 3 channels"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            read_requests([tmp_path / name for name in files], entries, options)

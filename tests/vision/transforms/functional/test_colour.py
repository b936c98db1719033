"""Colours: values of Paddle, arrays as images."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.vision.transforms import functional as F
from tests.vision.transforms.images import ARRAY, check, image

CALLS = {
    "to_tensor": lambda x: F.to_tensor(x),
    "to_tensor HWC": lambda x: F.to_tensor(x, "HWC"),
    "brightness": lambda x: F.adjust_brightness(x, 1.3),
    "contrast": lambda x: F.adjust_contrast(x, 0.6),
    "hue": lambda x: F.adjust_hue(x, 0.2),
    "hue back": lambda x: F.adjust_hue(x, -0.3),
    "saturation": lambda x: F.adjust_saturation(x, 1.4),
    "grey 1": lambda x: F.to_grayscale(x),
    "grey 3": lambda x: F.to_grayscale(x, 3),
}


@pytest.mark.parametrize("label", CALLS)
def test_values_are_those_of_paddle(label: str) -> None:
    check(label, CALLS[label])


@pytest.mark.parametrize("label", [label for label in CALLS if not label.startswith("to_")])
def test_arrays_give_what_images_give(label: str) -> None:
    found, wanted = CALLS[label](ARRAY), np.asarray(CALLS[label](image("pil")))
    np.testing.assert_array_equal(found, wanted.reshape(found.shape))


@pytest.mark.parametrize("data_format", ["CHW", "HWC"])
def test_normalize(data_format: str) -> None:
    mean, std = [1.0, 2.0, 3.0], [2.0, 4.0, 5.0]
    array = ARRAY if data_format == "HWC" else ARRAY.transpose(2, 0, 1)
    found = F.normalize(array, mean, std, data_format)
    wanted = (ARRAY - np.array(mean)) / np.array(std)
    wanted = wanted if data_format == "HWC" else wanted.transpose(2, 0, 1)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    tensor = F.normalize(F.to_tensor(ARRAY), mean, std)
    np.testing.assert_allclose(
        tensor.numpy(),
        (ARRAY.transpose(2, 0, 1) / 255 - np.reshape(mean, (3, 1, 1))) / np.reshape(std, (3, 1, 1)),
        rtol=1e-5,
    )
    turned = F.normalize(ARRAY, mean, std, "HWC", to_rgb=True)
    np.testing.assert_allclose(turned, F.normalize(ARRAY[..., ::-1], mean, std, "HWC"))


def test_bad_arguments() -> None:
    with pytest.raises(
        InvalidArgumentError, match="`hue_factor` is 0.7\n  Expected: a number from"
    ):
        F.adjust_hue(ARRAY, 0.7)
    with pytest.raises(
        InvalidArgumentError, match="`num_output_channels` is 2\n  Expected: 1 or 3"
    ):
        F.to_grayscale(ARRAY, 2)
    with pytest.raises(InvalidTypeError, match="an array of float32\n  Expected: uint8"):
        F.adjust_contrast(ARRAY.astype("float32"), 0.5)
    for call in (F.to_tensor, lambda x, f: F.normalize(x, 0, 1, f)):
        with pytest.raises(InvalidArgumentError, match="`data_format` is 'NCHW'"):
            call(ARRAY, "NCHW")
    with pytest.raises(InvalidArgumentError, match=r"has shape .12, 16, 3., `mean` 3 numbers"):
        F.normalize(ARRAY, [1, 2, 3], [1, 1, 1])


def test_bytes_that_do_not_turn_stay() -> None:
    pixels = np.random.RandomState(0).randint(0, 256, (3, 6, 8)).astype("uint8")
    np.testing.assert_array_equal(F.adjust_hue(proa.to_tensor(pixels), 0.0).numpy(), pixels)


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [("uint8", "float32"), ("int64", "int64"), ("float64", "float64"), ("bool", "bool")],
)
def test_to_tensor_scales_bytes_alone(dtype: str, wanted: str) -> None:
    array = np.array([[0, 1], [1, 1]], dtype)
    made = F.to_tensor(array)
    assert (made.dtype.name, made.shape) == (wanted, [1, 2, 2])
    scale = 255 if dtype == "uint8" else 1
    np.testing.assert_allclose(made.numpy()[0] * scale, array.astype(wanted), rtol=1e-6)


def test_to_tensor_of_wide_integers() -> None:
    made = F.to_tensor(Image.fromarray(np.array([[1, 70000]], "int32")))
    assert (made.dtype, made.tolist()) == (proa.int32, [[[1, 70000]]])


def test_arrays_of_other_numbers_turn_grey_in_their_own_dtype() -> None:
    image_ = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]], np.float32)
    grey = F.to_grayscale(image_)
    assert grey.dtype == np.float32
    np.testing.assert_allclose(grey[..., 0], [[0.299, 0.644]], rtol=1e-6)
    assert F.to_grayscale(image_[..., 0], 3).shape == (1, 2, 3)
    with pytest.raises(InvalidArgumentError, match=r"image has shape \[1, 2, 2\]"):
        F.to_grayscale(image_[..., :2])

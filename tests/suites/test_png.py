"""Images inside a page come back as they went in."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

from proa.core._errors import InvalidArgumentError
from proa.suites._png import image_uri


@pytest.mark.parametrize("shape", [(1, 1), (28, 28), (5, 7), (4, 6, 3)])
def test_pixels_come_back(shape: tuple[int, ...]) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    for image in (pixels, pixels.tolist(), pixels.astype(np.float32)):
        head, _, body = image_uri(image).partition(",")
        assert head == "data:image/png;base64"
        picture = Image.open(io.BytesIO(base64.b64decode(body)))
        np.testing.assert_array_equal(np.asarray(picture), pixels)


def test_a_uri_is_kept_and_made_safe() -> None:
    assert image_uri("data:image/png;base64,AAAA") == "data:image/png;base64,AAAA"
    assert image_uri('data:image/png,"><script>') == "data:image/png,&quot;&gt;&lt;script&gt;"


REFUSED = {
    "one axis": (np.zeros(3), r"an array of shape \[3\], values 0 to 0"),
    "four channels": (np.zeros((2, 2, 4)), r"shape \[2, 2, 4\]"),
    "empty": (np.zeros((0, 3)), r"shape \[0, 3\]\n"),
    "too large": ([[256]], r"shape \[1, 1\], values 256 to 256\n  Expected: values 0\.\.255"),
    "negative": ([[-1, 0]], "values -1 to 0"),
    "not a number": ([[np.nan]], "values nan to nan"),
    "a path": ("a.png", "a str of no numbers"),
    "nothing": (None, r"an array of shape \[\]"),
    "ragged": ([[1], [1, 2]], "a list of no numbers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_image_is_refused(case: str) -> None:
    image, message = REFUSED[case]
    with pytest.raises(InvalidArgumentError, match="a sample image is .*" + message):
        image_uri(image)

from __future__ import annotations

import numpy as np
import pytest

from proa import static
from proa.core import InvalidArgumentError
from proa.fluid import DataFeeder


def test_samples_become_arrays_and_rows_in_sequences():
    main = static.Program()
    with static.program_guard(main):
        words = static.data("words", [None, 1], "int64", lod_level=1)
        image = static.data("image", [None, 2, 2])
        feeder = DataFeeder([words, "image"], None, main)
    feed = feeder.feed([([1, 2], [1, 2, 3, 4]), ([3], np.ones([2, 2]))])
    assert feed["words"].lod() == [[0, 2, 3]]
    assert np.array(feed["words"]).tolist() == [[1], [2], [3]]
    assert feed["image"].dtype == np.float32
    assert feed["image"].tolist() == [[[1, 2], [3, 4]], [[1, 1], [1, 1]]]
    assert image.name in feed
    with pytest.raises(InvalidArgumentError, match="a sample of 1 fields"):
        feeder.feed([([1],)])

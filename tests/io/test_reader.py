from __future__ import annotations

import pytest

import proa


@pytest.mark.parametrize(("drop_last", "expected"), [(False, [[0, 1], [2]]), (True, [[0, 1]])])
def test_samples_are_collected(drop_last, expected):
    reader = proa.batch(lambda: iter(range(3)), 2, drop_last)
    assert list(reader()) == list(reader()) == expected


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_a_size_must_be_positive(size):
    with pytest.raises(ValueError, match="`batch_size` is"):
        proa.batch(lambda: iter(()), size)

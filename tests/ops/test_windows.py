from __future__ import annotations

import pytest

from proa.core import UnsupportedError
from proa.ops import _windows as windows


def test_last_window_must_begin_inside():
    # Sizes: input, window, padding, step.
    assert windows.output_size(4, 2, (0, 0), 4, True) == 1
    assert windows.output_size(5, 2, (0, 0), 4, True) == 2
    assert windows.output_size(4, 3, (1, 1), 2, True) == 3
    assert windows.output_size(4, 3, (1, 1), 2, False) == 2


def test_same_padding_puts_the_odd_element_behind():
    assert windows.resolve_padding("SAME", (4,), (3,), (2,)) == ((0, 1),)
    assert windows.resolve_padding("SAME", (5,), (4,), (1,)) == ((1, 2),)
    assert windows.resolve_padding("SAME", (4,), (1,), (2,)) == ((0, 0),)


def test_unknown_sizes_are_refused_where_they_matter():
    with pytest.raises(UnsupportedError, match="not known while recording"):
        windows.require_constant("the size", "some_op", "h")

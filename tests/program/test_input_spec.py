from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.program import InputSpec


def test_unknown_sizes_are_dimensions_and_batches_are_shared():
    a, b = InputSpec([None, 3, -1], name="a"), InputSpec([None, "width"], name="b")
    assert [str(d) for d in a.dimensions(0)] == ["batch", "3", "a_2"]
    assert [str(d) for d in b.dimensions(1)] == ["batch", "width"]


def test_specs_are_made_from_tensors_and_arrays():
    assert InputSpec.from_tensor(proa.ones([2, 3]), "x") == InputSpec([2, 3], "float32", "x")
    assert InputSpec.from_numpy(np.zeros((2,), np.int32)).dtype == "int32"
    assert InputSpec([3]).batch(4).shape == (4, 3)
    assert InputSpec([4, 3]).unbatch().shape == (3,)


def test_paste_gives_source_text():
    assert (
        InputSpec([None, 4], "int64", "ids").paste() == "InputSpec([None, 4], 'int64', name='ids')"
    )


def test_bad_shapes_are_refused():
    with pytest.raises(InvalidTypeError, match="`shape` of InputSpec is 3"):
        InputSpec(3)
    with pytest.raises(InvalidArgumentError, match="a size of -2"):
        InputSpec([-2, 3])
    with pytest.raises(InvalidArgumentError, match="unbatch"):
        InputSpec([]).unbatch()

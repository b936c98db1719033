from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError
from proa.formats import read_artifact
from proa.inference._samples import batch_symbol, make_inputs
from proa.jit import Interface, save
from proa.static import InputSpec


def _interface(tmp_path, specs, samples=None):
    def add(x, ids):
        return x.sum() + ids.sum()

    return Interface(read_artifact(save(add, tmp_path / "net", specs, samples=samples)))


def test_sizes_come_from_the_ranges(tmp_path):
    specs = [InputSpec([None, None], name="x"), InputSpec([None, 2], "int64", name="ids")]
    interface = _interface(tmp_path, specs)
    assert batch_symbol(interface) == "batch"
    x, ids = make_inputs(interface, {"x": ([1, 4], [8, 9])}, batch=3)
    assert (x.shape, x.dtype, len(np.unique(x))) == ((3, 4), np.float32, 12)
    assert ids.tolist() == [[1, 1]] * 3
    np.testing.assert_array_equal(make_inputs(interface, {"x": ([1, 4], [8, 9])}, batch=3)[0], x)
    with pytest.raises(InvalidArgumentError, match="the size 'x_1' of input `x` is not known"):
        make_inputs(interface, {})


def test_values_come_from_the_golden_samples(tmp_path):
    specs = [InputSpec([None, None], name="x"), InputSpec([None, 2], "int64", name="ids")]
    sample = (np.full((1, 5), 100, np.float32), np.array([[7, 9]]))
    interface = _interface(tmp_path, specs, [sample])
    x, ids = make_inputs(interface, {}, batch=2)
    assert x.shape == (2, 5)
    assert (x > 10).all()
    assert x[0, 0] != x[1, 0]
    assert ids.tolist() == [[7, 9]] * 2


def test_a_model_without_unknown_sizes_has_no_batch(tmp_path):
    specs = [InputSpec([2, 2], name="x"), InputSpec([2, 2], "int64", name="ids")]
    interface = _interface(tmp_path, specs)
    assert batch_symbol(interface) is None
    assert [a.shape for a in make_inputs(interface, {})] == [(2, 2), (2, 2)]

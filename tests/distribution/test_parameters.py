"""Reading of parameters, values and sample shapes."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.distribution._parameters import (
    as_parameters,
    as_sample_shape,
    as_value,
    require_positive,
    require_probabilities,
    require_scale,
)


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ((0.0, 1), "float32"),
        (([0.0, 1.0], 1), "float32"),
        ((np.zeros(2), 1.0), "float64"),
        ((np.zeros(2, "int64"), 1.0), "float32"),
        ((proa.zeros([2], "float16"), 1.0), "float16"),
        ((proa.zeros([2], "float32"), np.zeros(2)), "float64"),
        ((proa.zeros([2], "int32"), np.float64(1)), "float32"),
    ],
)
def test_dtypes(given, dtype):
    loc, scale = as_parameters("Normal", loc=given[0], scale=given[1])
    assert loc.dtype.name == scale.dtype.name == dtype
    assert loc.shape == scale.shape


def test_parameters_broadcast():
    loc, scale = as_parameters("Normal", loc=proa.zeros([2, 1]), scale=proa.ones([3]))
    assert loc.shape == scale.shape == [2, 3]
    with pytest.raises(ValueError, match=r"`loc` \[2\], `scale` \[3\](.|\n)*broadcast"):
        as_parameters("Normal", loc=proa.zeros([2]), scale=proa.ones([3]))


@pytest.mark.parametrize("bad", ["a", None, 1j, proa.to_tensor([1j]), [1j]])
def test_what_is_no_real_number_is_refused(bad):
    with pytest.raises(TypeError, match="`loc` of `Normal`(.|\n)*real number"):
        as_parameters("Normal", loc=bad)


def test_values_take_the_dtype_of_the_parameters():
    assert as_value("Normal", proa.to_tensor([1, 2]), proa.float32).dtype.name == "float32"
    assert as_value("Normal", 2, proa.float64).dtype.name == "float64"


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ((), ()),
        ([2, 3], (2, 3)),
        (4, (4,)),
        (np.array([2]), (2,)),
        (proa.to_tensor([2, 3]), (2, 3)),
    ],
)
def test_sample_shapes(shape, wanted):
    assert as_sample_shape("Normal", shape) == wanted


@pytest.mark.parametrize("shape", ["a", 1.5, [1.5]])
def test_bad_sample_shapes_are_refused(shape):
    with pytest.raises(TypeError, match="`shape` of a sample of `Normal`(.|\n)*integers"):
        as_sample_shape("Normal", shape)


def test_ranges():
    nan = proa.to_tensor([float("nan")])
    for require in (require_scale, require_probabilities):
        require("Normal", nan)
        require("Normal", proa.zeros([2]))
        require("Normal", proa.zeros([0]))
        with pytest.raises(ValueError, match="holds -0.5"):
            require("Normal", proa.to_tensor([0.0, -0.5], "bfloat16"))
    require_positive("Normal", "rate", nan)
    with pytest.raises(ValueError, match="`rate` of `Normal` holds 0"):
        require_positive("Normal", "rate", proa.zeros([1]))

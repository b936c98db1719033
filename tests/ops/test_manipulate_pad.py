from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, randn, same

pad = proa.nn.functional.pad
MOVE = {"low": ("bfloat16",)}


def expected(mode):
    widths = ((0, 0), (0, 0), (1, 2))
    return lambda x, *_: np.pad(x, widths, mode=mode)


def cut_and_padded(x, _):
    return np.pad(x[..., 1:], ((0, 0), (0, 0), (0, 2)))


CASES = [
    Case(pad, (randn(4, 2), [1, 0, 0, 2]), ref=lambda x, _: np.pad(x, ((1, 0), (0, 2)))),
    Case(pad, (randn(2, 1, 4), [1, 2], "reflect"), ref=expected("reflect"), **MOVE),
    Case(pad, (randn(2, 1, 4), [1, 2], "replicate"), ref=expected("edge"), **MOVE),
    Case(pad, (randn(2, 1, 4), [1, 2], "circular"), ref=expected("wrap"), **MOVE),
    Case(pad, (randn(2, 1, 4), [-1, 2]), ref=cut_and_padded, **MOVE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_pad(case):
    check_case(case)


FORMS = [
    ("last axis first", [1, 2, 0, 3], {}, (2, 3, 7, 8)),
    ("channel last", [1, 2, 0, 3], {"data_format": "NHWC"}, (2, 6, 7, 5)),
    ("all spatial axes", 1, {}, (2, 3, 6, 7)),
    ("a tensor", proa.to_tensor([1, 1]), {}, (2, 3, 4, 7)),
    ("all axes, from the first", [1, 1, 0, 0, 0, 0, 2, 2], {}, (4, 3, 4, 9)),
    ("from the last", [1, 1, 0, 0, 0, 0, 2, 2], {"pad_from_left_axis": False}, (6, 3, 4, 7)),
    ("a format for all axes", [1, 1, 0, 0, 0, 0, 2, 2], {"data_format": "NHWC"}, (4, 3, 4, 9)),
]


@pytest.mark.parametrize(
    ("widths", "options", "shape"), [f[1:] for f in FORMS], ids=[f[0] for f in FORMS]
)
def test_ways_to_write_the_widths(widths, options, shape):
    assert tuple(pad(proa.ones([2, 3, 4, 5]), widths, **options).shape) == shape


def test_the_filled_value_takes_the_dtype_of_the_tensor():
    same(pad(proa.to_tensor([[1, 2]]), [0, 0, 1, 0], value=7), [[7, 1, 2]], "int64")


ERRORS = [
    ({"pad": [1, 1], "mode": "mirror"}, "`mode` is 'mirror'"),
    ({"pad": [1, 1, 1]}, "an even number of entries"),
    ({"pad": [1] * 10}, "at most 6"),
    (
        {"pad": [1] * 6, "mode": "reflect"},
        r"reflect padding \(1, 1\) of axis 1 of extent 1",
    ),
    ({"pad": [0, 5], "mode": "circular"}, "at most 4 on each side"),
    ({"pad": [-3, -2]}, "cuts more than axis 2"),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message):
        pad(proa.ones([2, 1, 4]), **arguments)

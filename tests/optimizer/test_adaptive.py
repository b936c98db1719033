"""Adagrad, Adadelta and RMSProp against parameters recorded from paddle 3.3.1."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError, InvalidTypeError
from proa.optimizer import Adadelta, Adagrad, RMSProp

# Both parameters after the four steps of conftest.py; source: paddle 3.3.1.
RECORDED = {
    "adagrad": (
        lambda p: Adagrad(0.1, 1e-2, p, initial_accumulator_value=0.3),
        [
            *(0.435104426, -0.932550248, 1.96392499, 0.0292373173, -0.00459617586, -0.280907646),
            *(0.172720647, -0.331181971, 1.45279291),
        ],
    ),
    "adadelta": (
        lambda p: Adadelta(0.1, 1e-2, 0.9, p),
        [
            *(0.466292608, -0.973368575, 1.9766328, 0.0784066408, 0.000358447971, -0.307567432),
            *(0.191408317, -0.39811328, 1.47815224),
        ],
    ),
    "rmsprop": (
        lambda p: RMSProp(0.1, 0.9, 1e-2, parameters=p),
        [
            *(0.270922753, -0.769181592, 1.81177491, -0.149205905, -0.0354058545, -0.256428852),
            *(0.0809312416, -0.160890496, 1.28289977),
        ],
    ),
    "rmsprop_centered": (
        lambda p: RMSProp(0.1, 0.9, 1e-2, 0.7, True, p),
        [
            *(0.182203165, -0.726446239, 1.5555092, -0.692546938, -0.196812718, 0.0667084723),
            *(-0.178749063, 0.553402359, 1.25951093),
        ],
    ),
}


@pytest.mark.parametrize(("make", "expected"), RECORDED.values(), ids=RECORDED)
def test_parameters_equal_the_recorded_ones(make, expected, check_recorded):
    check_recorded(make, expected)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda p: RMSProp(0.1, rho=-1.0, parameters=[p]), InvalidArgumentError, "`rho` is -1.0"),
        (lambda p: RMSProp(0.1, epsilon="a", parameters=[p]), InvalidTypeError, "`epsilon` is a"),
        (lambda p: RMSProp(0.1, momentum=-1.0, parameters=[p]), InvalidArgumentError, "momentum"),
        (lambda p: Adagrad(0.1, -1.0, [p]), InvalidArgumentError, "Adagrad: `epsilon` is -1.0"),
        (lambda p: Adadelta(0.1, 1e-6, -1.0, [p]), InvalidArgumentError, "Adadelta: `rho`"),
    ],
)
def test_wrong_arguments_are_named(make, error, message, parameter):
    with pytest.raises(error, match=message):
        make(parameter([1.0]))

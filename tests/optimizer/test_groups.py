"""What a user may give as parameters, clip and weight decay, and what is refused."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor
from proa.nn._clip import ClipGradByNorm
from proa.optimizer import SGD, Adam, AdamW
from proa.regularizer import L1Decay, L2Decay


def test_parameters_may_come_from_a_generator(parameter, run_steps):
    weight = parameter([1.0])
    optimizer = SGD(0.5, (p for p in [weight]))
    assert run_steps(optimizer, [weight], [[1.0]]) == [[0.5]]


def test_no_parameters_are_allowed():
    SGD(0.5, []).step()


def test_repeated_parameter_is_updated_once_and_warned_of(parameter, run_steps):
    weight = parameter([1.0])
    with pytest.warns(UserWarning, match="SGD: 1 parameters are given more than once"):
        optimizer = SGD(0.5, [weight, weight])
    assert run_steps(optimizer, [weight], [[1.0]]) == [[0.5]]


def test_group_may_hold_a_single_tensor(parameter, run_steps):
    weight = parameter([1.0])
    optimizer = SGD(0.5, [{"params": weight, "learning_rate": 0.5}])
    assert run_steps(optimizer, [weight], [[1.0]]) == [[0.75]]


def test_rate_of_a_group_takes_the_place_of_the_parameters(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    own, plain = parameter([1.0, 2.0], "own", learning_rate=0.5), parameter([1.0, 2.0], "plain")
    groups = [{"params": [own], "learning_rate": 0.5}, {"params": [plain]}]
    values = run_steps(SGD(0.1, groups), [own, plain], [[1.0, -1.0], [1.0, -1.0]])
    assert values[0] == pytest.approx([0.95, 2.05])
    assert values[1] == pytest.approx([0.9, 2.1])


def test_group_decay_takes_the_place_of_the_optimizers(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    first, second = parameter([1.0, 2.0], "first"), parameter([1.0, 2.0], "second")
    groups = [
        {"params": [first], "weight_decay": 0.1},
        {"params": [second], "weight_decay": 0.0},
    ]
    values = run_steps(
        SGD(1.0, groups, weight_decay=0.3), [first, second], [[0.0, 0.0], [0.0, 0.0]]
    )
    assert values == [pytest.approx([0.9, 1.8]), [1.0, 2.0]]


def test_parameters_regularizer_takes_the_place_of_weight_decay(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    square = parameter([1.0, 2.0], "square", regularizer=L2Decay(0.3))
    plain = parameter([1.0, 2.0], "plain")
    absolute = parameter([1.0, 2.0], "absolute", regularizer=L1Decay(0.2))
    params = [square, plain, absolute]
    values = run_steps(SGD(0.1, params, weight_decay=0.5), params, [[1.0, -1.0]] * 3)
    assert values[0] == pytest.approx([0.87, 2.04])
    assert values[1] == pytest.approx([0.85, 2.0])
    assert values[2] == pytest.approx([0.88, 2.08])


def test_weight_decay_may_be_a_tensor(parameter, run_steps):
    weight = parameter([1.0])
    optimizer = SGD(0.5, [weight], weight_decay=Tensor(0.5))
    assert run_steps(optimizer, [weight], [[0.0]]) == [[0.75]]


def test_group_can_be_added_later(parameter, run_steps):
    first, second = parameter([1.0], "first"), parameter([1.0], "second")
    optimizer = SGD(0.5, [first])
    optimizer._add_param_group({"params": [second], "learning_rate": 0.5})
    assert run_steps(optimizer, [first, second], [[1.0], [1.0]]) == [[0.5], [0.75]]
    with pytest.raises(InvalidArgumentError, match="parameter 'first' of group 2 is in an earlier"):
        optimizer._add_param_group({"params": [first]})


def computed(parameter):
    base = parameter([1.0])
    computed = Tensor([1.0])
    computed._stop, computed._edge = False, (object(), 0)
    assert base.is_leaf
    return computed


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda p: SGD(0.1), InvalidArgumentError, "SGD: `parameters` is None"),
        (lambda p: SGD(0.1, p), InvalidTypeError, "SGD: `parameters` is a Parameter"),
        (lambda p: SGD(0.1, 3), InvalidTypeError, "SGD: `parameters` is a int"),
        (lambda p: SGD(0.1, [p, 3]), InvalidTypeError, "SGD: parameter 1 is a int"),
        (lambda p: SGD(0.1, [{"params": [p]}, p]), InvalidTypeError, "entry 1 of `parameters`"),
        (lambda p: SGD(0.1, [{"lr": 1.0}]), InvalidArgumentError, "group 0 has 'lr'"),
        (lambda p: SGD(0.1, [{}]), InvalidArgumentError, "group 0 has no 'params'"),
        (
            lambda p: Adam(0.1, parameters=[{"params": [p], "momentum": 0.5}]),
            InvalidArgumentError,
            "group 0 has 'momentum'\n.*options out of amsgrad, beta1",
        ),
        (
            lambda p: Adam(0.1, parameters=[{"params": [p], "beta1": 2.0}]),
            InvalidArgumentError,
            "`beta1` is 2.0",
        ),
        (
            lambda p: SGD(0.1, [{"params": [p]}, {"params": [p]}]),
            InvalidArgumentError,
            "parameter 'p' of group 1 is in an earlier group",
        ),
        (lambda p: SGD(0.1, [p], grad_clip=1.0), InvalidTypeError, "`grad_clip` is a float, 1.0"),
        (lambda p: SGD(0.1, [p], weight_decay="a"), InvalidTypeError, "`weight_decay` is a str"),
        (
            lambda p: SGD(0.1, [{"params": [p], "grad_clip": 2}]),
            InvalidTypeError,
            "`grad_clip` is a int",
        ),
        (
            lambda p: AdamW(0.1, parameters=[{"params": [p], "weight_decay": "a"}]),
            InvalidTypeError,
            "`weight_decay` is a str",
        ),
    ],
)
def test_wrong_arguments_are_named(make, error, message, parameter):
    with pytest.raises(error, match=message):
        make(parameter([1.0]))


def test_computed_tensor_is_refused(parameter):
    with pytest.raises(InvalidArgumentError, match="parameter 0, shape .*result of an operation"):
        SGD(0.1, [computed(parameter)])


def test_clip_of_a_group_is_its_own(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    first, second = parameter([1.0, 2.0], "first"), parameter([1.0, 2.0], "second")
    groups = [{"params": [first], "grad_clip": ClipGradByNorm(1.0)}, {"params": [second]}]
    values = run_steps(SGD(1.0, groups), [first, second], [[3.0, 4.0], [3.0, 4.0]])
    assert values == [pytest.approx([0.4, 1.2]), [-2.0, -2.0]]

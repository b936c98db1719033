"""Known surprises, asserted: what a user may not expect, and what therefore must not change."""

from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa import nn
from proa.core import PreconditionError, ProgramError
from proa.jit import to_static


def compiled(function):
    return to_static(function, full_graph=True)


def pair():
    return proa.to_tensor([1.0, 2.0])


# Compiled code sees no values ---------------------------------------------------------------------

X = proa.to_tensor([1.0, 2.0, 3.0])
FAR = proa.to_tensor([7])
UNCHECKED = [
    ("reads clamp", lambda x, i: proa.gather(x, i), [3.0]),
    ("reads clamp in brackets", lambda x, i: x[i], [3.0]),
    ("writes are dropped", lambda x, i: proa.scatter(x, i, proa.ones([1])), [1.0, 2.0, 3.0]),
    ("a label beyond the classes has no one", lambda x, i: F.one_hot(i, 3), [[0.0, 0.0, 0.0]]),
]


@pytest.mark.parametrize(("what", "function", "expected"), UNCHECKED, ids=lambda v: str(v)[:20])
def test_compiled_code_does_not_check_what_eager_code_refuses(what, function, expected):
    assert compiled(function)(X, FAR).tolist() == expected
    with pytest.raises(IndexError):
        function(X, FAR)


def test_a_constant_index_is_checked_when_recorded():
    with pytest.raises(IndexError, match="index 7"):
        compiled(lambda x: x[7])(X)


def test_integer_division_by_zero_has_some_value_when_compiled():
    assert compiled(lambda x: x // 0)(FAR).shape == [1]
    with pytest.raises(ZeroDivisionError):
        FAR // 0


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: x if x.sum() > 0 else -x, r"bool\(\)"),
        (lambda x: float(x.sum()), r"float\(\)"),
        (lambda x: x.numpy().sum(), r"numpy\(\)"),
        (lambda x: x[x > 1], "boolean mask"),
        (lambda x: proa.nonzero(x), "nonzero"),
    ],
)
def test_code_that_needs_values_is_no_program(function, what):
    with pytest.raises(ProgramError, match=what):
        compiled(function)(X)


def test_without_full_graph_it_runs_uncompiled_and_warns_once():
    positive = to_static(lambda x: x if x.sum().numpy() > 0 else -x)
    with pytest.warns(UserWarning, match="runs uncompiled"):
        assert positive(-X).tolist() == X.tolist()
    assert positive(X).tolist() == X.tolist()


# Recording happens once ---------------------------------------------------------------------------


def test_python_around_a_function_is_read_at_recording_and_watched():
    factor, runs = [1.0], [0]

    def scaled(x):
        runs[0] += 1
        return x * factor[0]

    scaled = compiled(scaled)
    assert [scaled(X).tolist() for _ in range(3)] == [[1.0, 2.0, 3.0]] * 3
    assert runs == [1]
    factor[0] = 5.0
    assert scaled(X).tolist() == [5.0, 10.0, 15.0]
    assert runs == [2]


def test_a_tensor_around_a_function_is_state():
    factor = proa.to_tensor(1.0)
    scaled = compiled(lambda x: x * factor)
    scaled(X)
    factor.set_value(5.0)
    assert scaled(X).tolist() == [5.0, 10.0, 15.0]


def test_random_numbers_of_numpy_are_constants_those_of_proa_are_not():
    fixed = compiled(lambda x: x + np.random.default_rng().random())
    drawn = compiled(lambda x: x + proa.rand([3]))
    assert fixed(X).tolist() == fixed(X).tolist()
    assert drawn(X).tolist() != drawn(X).tolist()


def test_floats_are_inputs_integers_are_part_of_the_program():
    scaled = compiled(lambda x, factor: x * factor)
    assert [scaled(X, f).tolist()[0] for f in (1.5, 2.5, 3.5)] == [1.5, 2.5, 3.5]
    assert scaled.num_variants == 1
    assert [scaled(X, f).tolist()[0] for f in (2, 3)] == [2.0, 3.0]
    assert scaled.num_variants == 3


def test_tensors_do_not_leave_by_a_list():
    seen = []
    with pytest.raises(ProgramError, match="puts tensors into variable `seen`"):
        compiled(lambda x: (seen.append(x), x + 1)[1])(X)


# Handles and values -------------------------------------------------------------------------------


def test_augmented_assignment_makes_a_new_tensor():
    a = pair()
    b = a
    b += 1
    assert (a.tolist(), b.tolist()) == ([1.0, 2.0], [2.0, 3.0])
    part = a[:1]
    part += 5
    assert a.tolist() == [1.0, 2.0]


def test_augmented_division_changes_the_dtype():
    a = proa.to_tensor([1, 2])
    a /= 2
    assert (a.tolist(), a.dtype) == ([0.5, 1.0], proa.float32)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[:],
        lambda a: a.reshape([2, 1]),
        lambda a: a.detach(),
        lambda a: a.unsqueeze(0),
        lambda a: a.t(),
        lambda a: a.flatten(),
        lambda a: a.data,
    ],
)
def test_writes_to_views_reach_the_base_and_back(view):
    a = pair()
    v = view(a)
    v.add_(proa.to_tensor(1.0))
    assert a.tolist() == [2.0, 3.0]
    a.zero_()
    assert v.flatten().tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "copy",
    [
        lambda a: a.clone(),
        lambda a: a[[0, 1]],
        lambda a: a[a > 0],
        lambda a: proa.to_tensor(a),
        lambda a: a.tile([1]),
        lambda a: proa.concat([a]),
    ],
)
def test_writes_to_copies_do_not(copy):
    a = pair()
    copy(a).zero_()
    assert a.tolist() == [1.0, 2.0]


def test_numpy_copies_both_ways():
    a = pair()
    a.numpy()[:] = 9.0
    array = np.ones(2, "float32")
    made = [proa.to_tensor(array), proa.from_numpy(array)]
    array[:] = 9.0
    assert [a.tolist(), *(t.tolist() for t in made)] == [[1.0, 2.0], [1.0, 1.0], [1.0, 1.0]]


def test_shape_is_a_snapshot():
    a = pair()
    a.shape.append(7)
    assert a.shape == [2]


def test_comparison_is_elementwise_and_hashing_by_identity():
    a, b = pair(), pair()
    assert (a == b).tolist() == [True, True]
    assert len({a, b}) == 2
    with pytest.raises(ValueError, match="exactly one element"):
        bool(a in [b])


# Numbers ------------------------------------------------------------------------------------------


def test_dtypes_of_mixed_arithmetic():
    int8, flag = proa.to_tensor([1], dtype="int8"), proa.to_tensor([True])
    half = proa.ones([1], "float16")
    rows = [
        (proa.to_tensor([1]) / proa.to_tensor([2]), "float32"),
        (proa.to_tensor([1]) + 1.5, "float32"),
        (int8 * 2, "int8"),
        (flag + 1, "int64"),
        (half * 3.0, "float16"),
        (half + proa.ones([1]), "float32"),
        (proa.to_tensor(1.0).astype("float64") * pair(), "float64"),
    ]
    assert [t.dtype.name for t, _ in rows] == [name for _, name in rows]


def test_division_rounds_down_and_remainders_take_the_divisors_sign():
    x = proa.to_tensor([-7, 7])
    assert ((x // 2).tolist(), (x % 3).tolist()) == ([-4, 3], [2, 1])


def test_a_mean_of_integers_is_no_integer():
    assert proa.mean(proa.to_tensor([1, 2])).item() == 1.5


# Gradients ----------------------------------------------------------------------------------------


def test_tensors_want_no_gradient_unless_told_and_parameters_do():
    assert pair().stop_gradient
    assert not nn.Linear(1, 1).weight.stop_gradient
    assert (pair() * 2).stop_gradient


def test_gradients_add_up_and_a_graph_serves_once():
    w = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    for _ in range(2):
        (w * w).sum().backward()
    assert w.grad.tolist() == [4.0, 8.0]
    y = (w * w).sum()
    y.backward()
    with pytest.raises(PreconditionError, match="a second time"):
        y.backward()


def test_a_leaf_that_wants_a_gradient_takes_no_writes():
    w = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(PreconditionError, match="leaf"):
        w.add_(pair())
    with proa.no_grad():
        w.add_(pair())
    assert w.tolist() == [2.0, 4.0]


def test_a_write_after_use_does_not_change_the_gradient_of_that_use():
    w = proa.to_tensor([3.0], stop_gradient=False)
    x = proa.to_tensor([2.0])
    y = (w * x).sum()
    x.zero_()
    y.backward()
    assert w.grad.tolist() == [2.0]


def test_cleared_gradients_are_zeros_that_still_count_for_momentum():
    layer = nn.Linear(1, 1)
    layer(proa.ones([1, 1])).sum().backward()
    layer.clear_gradients()
    assert layer.weight.grad.tolist() == [[0.0]]


# Layers and training ------------------------------------------------------------------------------


def test_a_state_dict_follows_training_and_a_copy_does_not():
    layer = nn.Linear(2, 1)
    optimizer = proa.optimizer.SGD(0.1, parameters=layer.parameters())

    @compiled
    def step(x):
        loss = layer(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    live = layer.state_dict()["weight"]
    kept, array, raw = live.clone(), live.numpy(), live._data
    for _ in range(3):
        step(proa.ones([4, 2]))
    assert live.tolist() == layer.weight.tolist() != kept.tolist()
    # The buffers of before are valid although a compiled step overwrites its own.
    assert kept.tolist() == array.tolist() == np.asarray(raw).tolist()


def test_layers_train_by_default():
    assert nn.Dropout(0.5).training
    dropout = nn.Dropout(0.5)
    dropout.eval()
    assert dropout(pair()).tolist() == [1.0, 2.0]


def test_momentum_of_batch_norm_is_the_part_that_is_kept():
    layer = nn.BatchNorm1D(1, momentum=0.9)
    layer(proa.full([4, 1], 10.0))
    assert layer._mean.item() == pytest.approx(1.0)


def test_a_scheduler_steps_by_itself_only():
    schedule = proa.optimizer.lr.ExponentialDecay(1.0, 0.5)
    layer = nn.Linear(1, 1)
    optimizer = proa.optimizer.SGD(schedule, parameters=layer.parameters())
    layer(proa.ones([1, 1])).sum().backward()
    optimizer.step()
    assert optimizer.get_lr() == 1.0
    schedule.step()
    assert optimizer.get_lr() == 0.5


def test_linear_weights_are_stored_input_by_output():
    assert nn.Linear(3, 5).weight.shape == [3, 5]

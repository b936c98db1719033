"""Functions that branch on tensors give compiled what they give eagerly, gradients too."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import proa
from proa import nn
from proa.jit import not_to_static, to_static

UP, DOWN = [1.0, 2.0], [-1.0, -2.0]


def if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


def early_return(x):
    if x.sum() > 0:
        return x * 2
    x = x + 1
    return x - 1


def number_in_a_branch(x):
    k = 1
    if x.sum() > 0:
        k = 3
    return x * k


def while_with_a_counter(x):
    i = 0
    while x.abs().sum() < 10:
        x = x * 2
        i += 1
    return x, i


def while_true(x):
    k = 0
    while True:
        k = k + 1
        x = x + 1
        if x.sum() > 20:
            break
    return x, k


def break_and_continue(x):
    total = x * 0
    for i in range(6):
        if x.max() < i - 3:
            continue
        total = total + x * i
        if total.sum() > 9:
            break
    return total


def nested_loops(x):
    for i in range(3):
        for j in range(3):
            if x[0] > j:
                continue
            x = x + i * j
            if x.sum() > 9:
                return x
    return x * 10


def lazy_logic(x):
    if x.sum() > 0 and x.max() < 5 or not (x.min() < -1.5):
        return x + 10
    elif x.sum() == 0:
        return x
    return x * 2


def chained(x):
    if 0 < x.sum() < 5:
        return x + 10
    return x


def conditional_expression(x):
    return x * 2 if x.sum() > 0 else x / 2


def range_of_a_tensor(x):
    n = proa.to_tensor(3)
    for i in range(n):
        x = x + i
    return x


def range_down_from_a_tensor(x):
    n = (x.abs().sum()).astype("int64")
    for i in range(n, 0, -2):
        x = x + i
    return x


def defined_in_the_loop_only(x):
    while x.abs().sum() < 50:
        y = x * 3
        x = x + y
    return y


def trees(x):
    if x.sum() > 0:
        found = {"a": x, "b": (x, x + 1)}
    else:
        found = {"a": x * 2, "b": (x, x + 3)}
    return found["b"][1] + found["a"]


def list_that_grows_in_a_known_loop(x):
    rows = []
    for i in range(3):
        rows.append(x * i if x.sum() > i else x)
    return proa.stack(rows)


def helper(x):
    if x.sum() > 0:
        return x * 3
    return x * 5


def calls_others(x):
    def inner(z):
        if z.max() > 1:
            return z * 2
        return helper(z)

    return inner(x) + functools.partial(helper)(x - 5) + (lambda z: helper(z))(x)


def rows(x):
    count = 0
    for row in x:
        if row > 0:
            count = count + 1
    for i, row in enumerate(x):
        if row < 0:
            count = count + i
    return count


def inplace(x):
    y = x * 1
    if x.sum() > 0:
        y[0] = 5.0
    else:
        y += x
    while y.abs().sum() < 30:
        y *= 2.0
    return y


FUNCTIONS = (
    *(if_else, early_return, number_in_a_branch, while_with_a_counter, while_true),
    *(break_and_continue, nested_loops, lazy_logic, chained, conditional_expression),
    *(range_of_a_tensor, range_down_from_a_tensor, defined_in_the_loop_only, trees),
    *(list_that_grows_in_a_known_loop, calls_others, rows, inplace),
)


def results(function, given):
    x = proa.to_tensor(given, stop_gradient=False)
    found = function(x)
    found = found if isinstance(found, tuple) else (found,)
    if isinstance(found[0], proa.Tensor) and not found[0].stop_gradient:
        found[0].sum().backward()
    values = [np.asarray(v.numpy() if isinstance(v, proa.Tensor) else v) for v in found]
    return [*values, *([] if x.grad is None else [x.grad.numpy()])]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_compiled_is_eager(function):
    compiled = to_static(function, full_graph=True)
    for given in (UP, DOWN):
        for value, expected in zip(results(compiled, given), results(function, given), strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-6)
    assert compiled.num_variants == 1


class Base(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2, weight_attr=nn.initializer.Constant(0.3))
        self.register_buffer("calls", proa.zeros([], "int64"))

    def forward(self, x):
        if x.sum() > 0:
            self.calls += 1
        return self.scaled(self.linear(x))

    def scaled(self, y):
        return y * 2 if y.sum() > 1 else y


class Derived(Base):
    def forward(self, x):
        y = super().forward(x)
        while y.abs().sum() < 50:
            y = y * 2 + 1
        return y


def test_layers_methods_super_and_buffers():
    eager, compiled = Derived(), to_static(nn.Sequential(Derived()), full_graph=True)
    for given in (UP, DOWN, UP):
        x = proa.to_tensor([given])
        np.testing.assert_allclose(compiled(x).numpy(), eager(x).numpy(), rtol=1e-6)
    assert compiled[0].calls.item() == eager.calls.item() == 2


def test_a_whole_step_with_a_branch_trains_as_eager_does():
    def trained(compile_it):
        net = Base()
        optimizer = proa.optimizer.Adam(0.1, parameters=net.parameters())

        def step(x):
            y = net(x)
            if y.mean() > 0:
                y = net.linear(y)
            loss = (y**2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        run = to_static(step, full_graph=True) if compile_it else step
        return [float(run(proa.to_tensor([given]))) for given in (UP, DOWN, UP)]

    assert trained(True) == pytest.approx(trained(False), rel=1e-5)


def test_the_right_side_of_and_runs_only_where_the_left_holds():
    # P#50365
    def write(y):
        y[0] = 999999.0
        return y.sum() > 0

    def both(x, y):
        if x.sum() > 0 and write(y):
            return x + 1
        return x

    compiled, y = to_static(both, full_graph=True), proa.zeros([1])
    compiled(proa.to_tensor([-1.0]), y)
    assert y.tolist() == [0.0]
    compiled(proa.to_tensor([1.0]), y)
    assert y.tolist() == [999999.0]


def test_a_function_that_needs_no_conversion_is_not_converted():
    compiled = to_static(lambda x: x * 2, full_graph=True)
    compiled(proa.ones([2]))
    assert not compiled._converts


def test_print_and_assert_happen_when_the_program_runs(capsys):
    def talk(x):
        assert x.sum() > -100, "too small"
        if x.sum() > 0:
            print("positive", x.sum())
        return x

    compiled = to_static(talk, full_graph=True)
    for given in (UP, DOWN):
        compiled(proa.to_tensor(given)).numpy()
    import jax

    jax.effects_barrier()
    out = capsys.readouterr().out
    assert out.count("positive") == 1
    assert "3." in out


def test_a_layer_that_branches_is_saved(tmp_path):
    spec = [proa.static.InputSpec([None, 2], "float32")]

    class Pure(Derived):
        def forward(self, x):
            y = self.scaled(self.linear(x))
            while y.abs().sum() < 50:
                y = y * 2 + 1
            return y

    net = Pure()
    proa.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    loaded = proa.jit.load(str(tmp_path / "net"))
    for given in ([UP], [DOWN, UP]):
        x = proa.to_tensor(given)
        np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-6)


def test_a_failed_assertion_of_a_compiled_function_stops_it(capfd):
    def checked(x):
        x = x * 2 if x.sum() > 0 else x
        assert x.sum() < 5, "too large"
        return x

    compiled = to_static(checked, full_graph=True)
    assert compiled(proa.to_tensor([1.0, 1.0])).tolist() == [2.0, 2.0]
    message = r"^too large \(at .*test_convert.py:\d+\)"
    with pytest.raises(proa.core.FailedAssertionError, match=message):
        compiled(proa.to_tensor(UP))
    assert capfd.readouterr().err == ""


def test_what_a_layer_prints_and_asserts_is_no_part_of_its_file(tmp_path, capsys):
    class Talks(nn.Layer):
        def forward(self, x):
            print("sum", x.sum())
            if x.sum() > 0:
                print("positive")
                x = x * 2
            assert x.sum() < 99, "too large"
            return x

    spec = [proa.static.InputSpec([None], "float32")]
    proa.jit.save(Talks(), str(tmp_path / "net"), input_spec=spec)
    capsys.readouterr()
    loaded = proa.jit.load(str(tmp_path / "net"))
    assert loaded(proa.to_tensor(UP)).tolist() == [2.0, 4.0]
    assert loaded(proa.to_tensor(DOWN)).tolist() == DOWN
    assert capsys.readouterr().out == ""


def none_in_one_branch(x):
    y = None
    if x.sum() > 0:
        y = x
    return x if y is None else y


def list_grows_in_an_unknown_loop(x):
    rows = []
    while x.sum() < 10:
        x = x + 1
        rows.append(x)
    return proa.concat(rows)


def shape_changes(x):
    while x.sum() < 10:
        x = proa.concat([x, x])
    return x


def kinds_differ(x):
    if x.sum() > 0:
        y = x
    else:
        y = x.astype("int64")
    return y


def raises(x):
    if x.sum() > 0:
        raise ValueError("not this")
    return x


def text_differs(x):
    mode = "a"
    if x.sum() > 0:
        mode = "b"
    return x * 2 if mode == "a" else x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (none_in_one_branch, "`y` is None and a value in the branches"),
        (list_grows_in_an_unknown_loop, r"concat\(\) at .*, of a list that grows in a loop"),
        (shape_changes, r"`x` from float32\[2\] to float32\[4\]"),
        (kinds_differ, r"`y`: float32\[2\] and int64\[2\]"),
        (raises, "a branch that depends on a tensor raises ValueError: not this"),
        (text_differs, "`mode` is 'b' in one branch"),
    ],
)
def test_what_cannot_be_recorded_is_named(function, message):
    with pytest.raises((proa.core.ProgramError, proa.core.InvalidArgumentError), match=message):
        to_static(function, full_graph=True)(proa.to_tensor(UP))


@not_to_static
def left_alone(x):
    return x * 2 if x.sum() > 0 else x


def test_not_to_static_leaves_a_function_alone():
    def outer(x):
        return left_alone(x)

    with pytest.raises(proa.core.ProgramError, match="needs the elements"):
        to_static(outer, full_graph=True)(proa.to_tensor(UP))


def test_messages_name_the_users_line():
    def wrong(x):
        if x.sum() > 0:
            x = x.reshape([7])
        return x

    with pytest.raises(proa.core.InvalidArgumentError) as caught:
        to_static(wrong, full_graph=True)(proa.to_tensor(UP))
    lines = [entry.lineno + 1 for entry in caught.traceback if str(entry.path) == __file__]
    assert wrong.__code__.co_firstlineno + 2 in lines


def generates(x):
    def each():
        yield x

    for y in each():
        if y.sum() > 0:
            x = x * 2
    return x


def takes_apart(x):
    match x.shape:
        case [n]:
            y = x * n
        case _:
            y = x
    return y if y.sum() > 0 else -y


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (takes_apart, r"`takes_apart` could not be converted: a `case` that takes .*py:\d+"),
        (generates, r"`generates` could not be converted: `yield` at .*test_convert.py:\d+"),
        (left_alone, r"`left_alone` is left as it is \(not_to_static"),
        (lambda x: x.numpy(), r"numpy\(\) at .*test_convert.py:\d+ needs the elements"),
    ],
)
def test_what_cannot_be_converted_is_named_or_runs_uncompiled(function, message):
    def outer(x):
        return function(x)

    with pytest.raises(proa.core.ProgramError, match=message):
        to_static(outer, full_graph=True)(proa.to_tensor(UP))
    lenient = to_static(outer)
    with pytest.warns(UserWarning, match=r"outer runs uncompiled: .*" + message) as caught:
        first, second = lenient(proa.to_tensor(UP)), lenient(proa.to_tensor(DOWN))
    assert len(caught) == 1
    for found, given in ((first, UP), (second, DOWN)):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(outer(proa.to_tensor(given))))

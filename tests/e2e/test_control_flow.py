"""What Python's statements mean compiled, for an unknown batch and in a file: as eagerly.

Each function is recorded once for any batch, compiled and saved; values and gradients of both
forms equal those of the function itself, for two batches that take different ways.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools

import numpy as np
import pytest

import proa
from proa.jit import to_static
from proa.static import InputSpec

UP = np.float32([[1.0, 2.0], [3.0, 0.5], [0.2, 0.7]])
DOWN = -UP[:2]
SPEC = [InputSpec([None, 2], "float32", "x")]
Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Both:
    first: object
    second: object


def conditions(x):
    s = x.sum()
    if s > 100:
        return x
    elif 0 < x.sum() <= 10 < x.sum() + 9:
        y = x * 2 if s > 8 else (x * 3 if s > -3 else x * 4)
    else:
        y = x * 5
    if any(r.sum() > 3 for r in [x, y]) and not all([s > 3, s < 30]):
        y = y + 1
    mode = "a"
    match mode:
        case "b":
            y = y * 100
        case "a" | "c":
            y = y * max(s, x.max(), 0.5) + min(s, 1.0)
    return y * (0 < x.sum() < 20)


def loops_with_else(x):
    i = 0
    while i < 10:
        if x.sum() * i > 9:
            break
        if x.max() < 0:
            i += 2
            continue
        x = x + 0.1
        i += 1
    else:
        x = x * 5
    for k in range(5):
        if x.sum() > 8 - k:
            break
        x = x + 1
    else:
        x = x * 10
    while (s := x.abs().sum()) < 40:
        x = x * 2
    return x * s, i


def rows_of_any_number(x):
    total = x[0] * 0
    for i, (a, b) in enumerate(zip(x, x + 1, strict=False), 1):
        if a.sum() < -2:
            continue
        total = total + a * b * i
    for a in reversed(x):
        total = total * 0.5 + a
    for i in range(x.shape[0]):
        total = total + x[i] * (i + 1)
    for i in reversed(range(len(x))):
        for row in x:
            if row.sum() * i > 6:
                return total * i
    return total


def ranges_of_tensors(x):
    n = x.abs().sum().astype("int64")
    for i in range(n, 0, -2):
        x = x + i * x * 0.1
    for i in reversed(range(n)):
        x = x + i * 0.01 * x
    return x / x.shape[0]


def lists_of_rows(x):
    out = [x[0]]
    for row in x:
        out.append(row * row.sum())
    out[1] = out[1] * 2
    out += [x[-1]]
    doubled = [row * 2 for row in x]
    total = x[0] * 0
    for k, row in enumerate(out):
        total = total + row * k
    return proa.stack(out).sum() + proa.concat(doubled).sum(), total, out[-2] * len(out)


def sizes_decide(x):
    if x.shape[0] > 2 and x.sum() > 0:
        return x * 2
    return x * 3 if x.shape[0] == 2 else x


def closures_and_functions(x):
    k = 2.0

    def inner(z, *rest, scale=1):
        nonlocal k
        if z.sum() > 0:
            k = 3.0
        return z * k * scale + rest[0]

    @functools.wraps(inner)
    def outer(*args, **kwargs):
        y = inner(*args, **kwargs)
        if y.sum() > 0:
            return y + 1
        return y

    def again(z, n):
        if n == 0:
            return z
        if z.sum() > 0:
            z = z * 2
        return again(z, n - 1)

    choose = lambda z: z * 2 if z.sum() > 0 else z * 3  # noqa: E731
    ys = list(map(choose, [x, x - 1]))
    return again(outer(*(x, x * 2), scale=3), 2) * k + ys[0] + ys[1]


@contextlib.contextmanager
def factor():
    yield 2.0


def blocks_around(x):
    with factor() as k:
        if x.sum() > 0:
            x = x * k
    with proa.no_grad():
        s = x.sum()
        if s > 0:
            s = s * 2
    try:
        y = x * 2 if x.sum() > 0 else x * 3
    except ValueError:
        y = x
    finally:
        z = len(f"{x.shape[1]} {x.ndim}")
    return y * z * s + x * float(x.sum()) + int(x.abs().sum())


def containers(x):
    p = Pair(x, x * 2)
    d = Both(x, x.sum())
    if d.second > 0:
        p, d = Pair(x * 2, p.first), Both(x * 2, d.second)
    m = {"a": x, "n": 0}
    while m["a"].abs().sum() < 50:
        p = p._replace(first=p.first * 2)
        m["a"] = m["a"] * 2
        m["n"] += 1
    a, b = x, x * 2
    while a.abs().sum() < 40:
        a, b = b + a, a
    return p, {"d": d, "m": m}, [a, b]


FUNCTIONS = (
    *(conditions, loops_with_else, rows_of_any_number, ranges_of_tensors, lists_of_rows),
    *(sizes_decide, closures_and_functions, blocks_around, containers),
)


def leaves(result):
    if isinstance(result, dict):
        return [leaf for key in sorted(result) for leaf in leaves(result[key])]
    if dataclasses.is_dataclass(result):
        return leaves([result.first, result.second])
    if isinstance(result, list | tuple):
        return [leaf for each in result for leaf in leaves(each)]
    return [result]


def results(function, given, with_gradient=True):
    x = proa.to_tensor(given, stop_gradient=not with_gradient)
    found = leaves(function(x))
    values = [np.asarray(v.numpy() if isinstance(v, proa.Tensor) else v) for v in found]
    if not with_gradient:
        return values
    tensors = [v for v in found if isinstance(v, proa.Tensor) and not v.stop_gradient]
    sum((v * v).sum() for v in tensors).backward()
    return [*values, x.grad.numpy()]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_compiled_for_any_batch_and_saved_is_eager(function, tmp_path):
    compiled = to_static(function, full_graph=True, input_spec=SPEC)
    loaded = proa.jit.load(proa.jit.save(function, str(tmp_path / "f"), SPEC))
    for form, given, with_gradient in (
        *((compiled, UP, True), (loaded, DOWN, True)),
        *((compiled, DOWN, False), (loaded, UP, False)),
    ):
        expected = results(function, given, with_gradient)
        for value, want in zip(results(form, given, with_gradient), expected, strict=True):
            np.testing.assert_allclose(value, want, rtol=2e-5, atol=1e-5)
    # One with and one without a gradient; none for another batch.
    assert compiled.num_variants == 2


def grows_for_as_long_as_it_takes(x):
    out = []
    while (x * x).sum() < 1000:
        x = x * 1.5
        out.append(x.sum())
    kept = [x[0]]
    for row in x:
        if row.sum() > 60:
            kept.append(row * 2)
    stack = [x]
    while len(stack) > 0 and x.sum() < 400:
        y = stack.pop()
        x = x + y.sum()
        if x.sum() < 300:
            stack.append(x)
            stack.append(y * 2)
    return out, kept, x, len(out), kept[-1]


def test_a_list_of_unknown_length_is_a_list_after_the_call():
    compiled = to_static(grows_for_as_long_as_it_takes, full_graph=True, input_spec=SPEC)
    for given, with_gradient in ((UP, True), (np.abs(DOWN) * 3, False)):
        expected = results(grows_for_as_long_as_it_takes, given, with_gradient)
        for value, want in zip(results(compiled, given, with_gradient), expected, strict=True):
            np.testing.assert_allclose(value, want, rtol=1e-5)


def test_a_list_of_unknown_length_has_bounds(tmp_path):
    def stacked(x):
        return proa.stack(grows_for_as_long_as_it_takes(x)[0])

    with pytest.raises(proa.core.ProgramError, match="whose number of turns depends on tensors"):
        to_static(stacked, full_graph=True)(proa.to_tensor(UP))
    with pytest.warns(UserWarning, match="stacked runs uncompiled: stack"):
        assert to_static(stacked)(proa.to_tensor(UP)).shape == stacked(proa.to_tensor(UP)).shape
    with pytest.raises(proa.core.ProgramError, match="the list that grows at"):
        proa.jit.save(lambda x: grows_for_as_long_as_it_takes(x)[4], str(tmp_path / "f"), SPEC)
    proa.set_flags({"FLAGS_max_list_length": 3})
    try:
        compiled = to_static(grows_for_as_long_as_it_takes, full_graph=True)
        with pytest.raises(proa.core.OutOfRangeError, match=r"got \d+ entries .*py:\d+"):
            compiled(proa.to_tensor(UP))
    finally:
        proa.set_flags({"FLAGS_max_list_length": 256})


def trained(kind, compile_it):
    net = proa.nn.Linear(2, 1, weight_attr=proa.nn.initializer.Constant(0.3))
    optimizer = proa.optimizer.Adam(0.1, parameters=net.parameters())

    def in_a_branch(x):
        loss = (net(x) ** 2).mean()
        if loss < 1.5:
            loss.backward()
            optimizer.step()
        optimizer.clear_grad()
        return loss

    def until_small(x):
        n, loss = 0, (net(x) ** 2).mean().detach()
        while loss > 0.01:
            now = (net(x) ** 2).mean()
            now.backward()
            optimizer.step()
            optimizer.clear_grad()
            loss, n = now.detach(), n + 1
        return loss + n

    def summed_over_turns(x):
        for i in range(x.sum().astype("int64").abs()):
            ((net(x) * i) ** 2).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
        return net.weight.sum()

    def gradient_of_a_turn(x):
        z = x.detach()
        while (z * z).sum() > 0.5:
            z.stop_gradient = False
            (g,) = proa.grad((net(z) ** 2).sum() + (z * z).sum(), z)
            z = (z - 0.1 * g).detach()
        return z.sum()

    function = locals()[kind]
    run = to_static(function, full_graph=True) if compile_it else function
    found = []
    for given in ([[1.0, 2.0]], [[3.0, 3.5]], [[-1.0, -2.0]]):
        found += [float(run(proa.to_tensor(given))), *net.weight.numpy().ravel()]
    return found


@pytest.mark.parametrize(
    "kind", ["in_a_branch", "until_small", "summed_over_turns", "gradient_of_a_turn"]
)
def test_backward_inside_of_branches_and_loops(kind):
    assert trained(kind, True) == pytest.approx(trained(kind, False), rel=1e-4, abs=1e-5)


def test_a_backward_pass_to_earlier_turns_is_refused():
    def wrong(x):
        w = proa.to_tensor(2.0, stop_gradient=False)
        y = x * w
        while y.sum() < 50:
            (y * y).sum().backward()
            y = y * w
        return y

    with pytest.raises(proa.core.ProgramError, match="goes on to the turns before, at .*py:"):
        to_static(wrong, full_graph=True)(proa.ones([2]))

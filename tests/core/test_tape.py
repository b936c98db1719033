from __future__ import annotations

import math
import threading

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError, grad
from tests.ops.harness import same


def wanted(*values):
    return proa.to_tensor(list(values), stop_gradient=False)


def test_gradients_sum_up_until_they_are_cleared():
    x = wanted(1.0, 2.0)
    (x * x).sum().backward()
    (x * 3).sum().backward()
    same(x.grad, [5.0, 7.0], "float32")
    x.clear_gradient(set_to_zero=True)
    same(x.grad, [0.0, 0.0], "float32")
    (x * 3).sum().backward()
    same(x.grad, [3.0, 3.0], "float32")
    x.clear_grad(set_to_zero=False)
    assert x.grad is None


def test_a_gradient_can_be_set_and_must_fit():
    x = wanted(1.0, 2.0)
    x.grad = proa.ones([2])
    (x * 2).sum().backward()
    same(x.grad, [3.0, 3.0], "float32")
    with pytest.raises(InvalidArgumentError, match=r"a gradient of shape \[3\]"):
        x.grad = proa.ones([3])
    with pytest.raises(InvalidTypeError, match="`grad` was set to a list"):
        x.grad = [1.0, 2.0]


def test_a_tensor_used_twice_gets_both_gradients():
    x = wanted(3.0)
    y = x * x
    (y + y * x).sum().backward()
    same(x.grad, [2 * 3.0 + 3 * 9.0], "float32")


def test_several_roots_with_their_own_gradients():
    x = wanted(1.0, 1.0)
    proa.autograd.backward([x * 2, x * 3], [proa.to_tensor([1.0, 2.0]), None])
    same(x.grad, [5.0, 7.0], "float32")


def test_the_graph_is_freed_unless_it_is_retained():
    x = wanted(2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    same(x.grad, [8.0], "float32")
    with pytest.raises(PreconditionError, match="backward through `multiply` a second time"):
        y.backward()


def test_hooks_see_and_replace_gradients():
    x = wanted(1.0, 2.0)
    y = x * 2
    seen = []
    first = y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    leaf = x.register_hook(lambda g: g + 1)
    y.sum().backward(retain_graph=True)
    assert seen == [[1.0, 1.0]]
    same(x.grad, [21.0, 21.0], "float32")
    assert first.remove()
    assert not first.remove()
    assert leaf.remove()
    x.clear_grad(False)
    y.sum().backward()
    assert len(seen) == 1
    same(x.grad, [20.0, 20.0], "float32")


def test_hooks_need_a_tensor_that_is_differentiated():
    with pytest.raises(PreconditionError, match="register_hook on tensor"):
        proa.ones([1]).register_hook(lambda g: g)


def test_what_a_hook_returns_takes_the_gradients_dtype():
    x = wanted(1.0, 2.0)
    x.register_hook(lambda g: (g * 2).astype("float64"))
    (x * 3).sum().backward()
    same(x.grad, [6.0, 6.0], "float32")


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        (3.0, InvalidTypeError, "a gradient hook returned a float"),
        (np.ones(2), InvalidTypeError, "a gradient hook returned a ndarray"),
        (proa.ones([1]), InvalidArgumentError, r"returned shape \[1\] for a gradient of \[2\]"),
    ],
)
def test_a_hook_returns_a_tensor_of_the_gradients_shape(result, error, message):
    x = wanted(1.0, 2.0)
    x.register_hook(lambda g: result)
    with pytest.raises(error, match=message):
        (x * 3).sum().backward()


def test_a_hook_that_fails_or_removes_itself_leaves_the_tape_usable():
    x = wanted(1.0)
    calls = []

    def once(gradient):
        calls.append(gradient)
        handle.remove()

    handle = x.register_hook(once)
    failing = x.register_hook(lambda g: 1 // len(calls[9:]))
    with pytest.raises(ZeroDivisionError):
        (x * 2).backward()
    assert failing.remove()
    assert proa.is_grad_enabled()
    (x * 2).backward()
    assert len(calls) == 1
    same(x.grad, [2.0], "float32")


def test_a_leaf_refuses_a_gradient_of_another_shape():
    x = wanted(1.0, 2.0)
    y = x * 2
    with proa.no_grad():
        x.reshape_([2, 1])
    with pytest.raises(InvalidArgumentError, match=r"shape \[2\] for leaf .* of shape \[2, 1\]"):
        y.sum().backward()


def test_computed_tensors_keep_their_gradient_on_request():
    x = wanted(2.0)
    y = x * 3
    y.retain_grads()
    (y * y).backward()
    same(y.grad, [12.0], "float32")
    same(x.grad, [36.0], "float32")
    assert (x * 3).grad is None


def test_taping_can_be_switched_off():
    x = wanted(1.0)
    with proa.no_grad():
        assert not proa.is_grad_enabled()
        assert (x * 2).stop_gradient
        with proa.enable_grad():
            assert not (x * 2).stop_gradient
    with proa.set_grad_enabled(False):
        assert (x * 2).stop_gradient

    @proa.no_grad()
    def decorated():
        return x * 2

    assert decorated().stop_gradient
    assert proa.no_grad(lambda: x * 2)().stop_gradient
    assert proa.is_grad_enabled()


def test_the_mode_is_set_at_once_and_for_good_or_until_the_end_of_the_context():
    proa.set_grad_enabled(False)
    try:
        assert not proa.is_grad_enabled()
        with proa.set_grad_enabled(True):
            assert proa.is_grad_enabled()
        assert not proa.is_grad_enabled()
    finally:
        proa.set_grad_enabled(True)

    @proa.set_grad_enabled(False)
    def decorated():
        return proa.is_grad_enabled()

    assert proa.is_grad_enabled()
    assert not decorated()
    assert proa.is_grad_enabled()


def test_a_generator_runs_in_its_mode_and_its_caller_in_its_own():
    @proa.no_grad()
    def modes():
        try:
            sent = yield proa.is_grad_enabled()
            yield sent, proa.is_grad_enabled()
        except KeyError:
            yield "caught"
        finally:
            seen.append(proa.is_grad_enabled())
        return "end"

    seen = []
    running = modes()
    assert next(running) is False
    assert proa.is_grad_enabled()
    assert running.send(7) == (7, False)
    assert running.throw(KeyError()) == "caught"
    with pytest.raises(StopIteration, match="end"):
        next(running)
    modes_closed = modes()
    next(modes_closed)
    modes_closed.close()
    assert seen == [False, False]
    assert proa.is_grad_enabled()


def test_one_mode_object_serves_threads_that_overlap():
    mode = proa.no_grad()
    inside, seen = threading.Barrier(2), []

    def work(enabled):
        with proa.set_grad_enabled(enabled):
            inside.wait()
            with mode:
                inside.wait()
            seen.append((enabled, proa.is_grad_enabled()))

    threads = [threading.Thread(target=work, args=(enabled,)) for enabled in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [(False, False), (True, True)]


def test_grad_leaves_the_gradients_of_leaves_alone():
    x, y = wanted(2.0), wanted(3.0)
    z = x * y
    dx, dy = proa.grad(z, [x, y])
    assert (dx.item(), dy.item()) == (3.0, 2.0)
    assert x.grad is None
    assert dx.stop_gradient


def test_grad_of_a_computed_tensor():
    x = wanted(2.0)
    y = x * x
    (found,) = proa.grad(y * y, y)
    same(found, [8.0], "float32")


def test_grad_options():
    x, other = wanted(2.0), wanted(1.0)
    y = x * x
    assert proa.grad(y, [other], retain_graph=True, allow_unused=True) == [None]
    with pytest.raises(InvalidArgumentError, match="input 0 .* is not reached"):
        proa.grad(y, other, retain_graph=True)
    (scaled,) = proa.grad(y, x, proa.to_tensor([5.0]), retain_graph=True)
    same(scaled, [20.0], "float32")
    inner = x * 3
    (blocked,) = proa.grad(inner * x, x, no_grad_vars=[inner])
    same(blocked, [6.0], "float32")
    with pytest.raises(InvalidArgumentError, match="only_inputs=False"):
        proa.grad(y, x, only_inputs=False)


@pytest.mark.parametrize("recorded", [False, True])
def test_derivatives_of_sine_up_to_order_4(recorded):
    """P#42867: orders 1 to 4 at 2*pi."""

    def orders(x):
        found, y = [], proa.sin(x)
        for _ in range(4):
            (y,) = proa.grad(y, x, create_graph=True)
            found.append(y)
        return found

    x = proa.to_tensor(2 * math.pi, "float64", stop_gradient=False)
    found = (proa.jit.to_static(orders) if recorded else orders)(x)
    np.testing.assert_allclose([d.item() for d in found], [1.0, 0.0, -1.0, 0.0], atol=1e-12)


def test_a_taped_walk_reaches_all_inputs_of_second_order():
    x, y = wanted(2.0), wanted(3.0)
    (dx,) = proa.grad(x * x * y, x, create_graph=True)
    (dx * dx).backward()
    # (2xy)^2 = 4 x^2 y^2
    same(x.grad, [8 * 2.0 * 9.0], "float32")
    same(y.grad, [8 * 4.0 * 3.0], "float32")


def test_later_writes_do_not_change_saved_values():
    x = wanted(0.0, 0.0)
    y = x * 2
    z = proa.exp(y)
    y.add_(proa.to_tensor([1.0, 1.0]))
    z.sum().backward()
    same(x.grad, [2.0, 2.0], "float32")


ROOTS = [
    (lambda x: proa.autograd.backward([3.0]), InvalidTypeError, "backward from a float"),
    (lambda x: x.detach().backward(), PreconditionError, "which has stop_gradient=True"),
    (lambda x: (x * 1).backward(proa.ones([3])), InvalidArgumentError, r"has shape \[3\]"),
    (
        lambda x: proa.autograd.backward([x * 1], [None, None]),
        InvalidArgumentError,
        "1 tensors but 2 gradients",
    ),
    (lambda x: proa.grad(x.detach(), x), PreconditionError, "stop_gradient=True"),
]


@pytest.mark.parametrize(("call", "error", "message"), ROOTS, ids=[r[2] for r in ROOTS])
def test_bad_roots_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call(wanted(1.0, 2.0))


def test_integer_roots_are_refused():
    x = proa.to_tensor([1])
    x.stop_gradient = False
    with pytest.raises(InvalidTypeError, match="backward from a tensor of dtype int64"):
        x.backward()


def test_gradients_of_complex_tensors_are_conjugate_to_those_of_jax():
    z = proa.to_tensor([1.0 + 2.0j], stop_gradient=False)
    proa.abs(z * z).sum().backward()
    # |z^2| = |z|^2, so the gradient in the real and imaginary part is 2 z.
    same(z.grad, [2.0 + 4.0j], "complex64")


def test_a_long_chain_needs_no_recursion():
    x = wanted(1.0)
    y = x
    for _ in range(3000):
        y = y + 1.0
    y.backward()
    same(x.grad, [1.0], "float32")


def test_gradients_say_that_they_pass_gradients_but_stay_off_the_tape():
    x = wanted(1.0, 2.0)
    seen = []
    x.register_hook(lambda gradient: seen.append(gradient.stop_gradient))
    (x * x).sum().backward()
    assert seen == [False]
    assert not x.grad.stop_gradient
    assert "stop_gradient=False" in repr(x.grad)
    x.grad.zero_()
    assert x.grad.tolist() == [0.0, 0.0]
    assert (x.grad * 2).stop_gradient
    (first,) = proa.grad((x * x).sum(), x)
    assert first.stop_gradient
    x.clear_grad()
    assert not x.grad.stop_gradient
    x.grad.stop_gradient = True
    assert x.grad.stop_gradient


def test_gradients_can_be_put_on_the_tape():
    x = wanted(3.0)
    (x * x).backward()
    x.grad.stop_gradient = False
    (x.grad * x.grad).backward()
    same(x.grad.grad, [12.0], "float32")


def test_clear_gradient_takes_no_arrays():
    x = wanted(1.0, 2.0)
    with pytest.raises(InvalidTypeError, match="`set_to_zero` of `clear_gradient` is a ndarray"):
        x.clear_gradient(np.ones(2))


def test_a_gradient_that_is_set_looks_like_one_that_was_computed():
    x = proa.to_tensor(1.0, stop_gradient=False)
    x.grad = proa.to_tensor(3.0)
    assert not x.grad.stop_gradient
    assert x.grad.item() == 3.0


@pytest.mark.parametrize(
    ("call", "left", "right"),
    [
        (proa.add, 3.0, 3.0),
        (proa.subtract, 3.0, -3.0),
        (lambda x, y: x.clone() - y, 3.0, -3.0),
        (lambda x, y: proa.assign(x) + y, 3.0, 3.0),
    ],
)
@pytest.mark.parametrize("shapes", [([2], [2]), ([2], [1]), ([1], [2]), ([], [2]), ([], [])])
def test_gradients_that_pass_an_op_as_they_are(call, left, right, shapes):
    x, y = (proa.ones(shape) for shape in shapes)
    x.stop_gradient = y.stop_gradient = False
    result = call(x, y)
    result.backward(proa.full(result.shape, 3.0))
    for t, each in ((x, left), (y, right)):
        same(t.grad, np.full(t.shape, each * result.size / t.size), "float32")


def test_a_passed_gradient_has_a_handle_of_its_own():
    x, y = wanted(1.0, 2.0), wanted(3.0, 4.0)
    seed = proa.ones([2])
    (x + y).backward(seed)
    x.grad.scale_(5.0)
    same(x.grad, [5.0, 5.0], "float32")
    same(y.grad, [1.0, 1.0], "float32")
    same(seed, [1.0, 1.0], "float32")


def test_a_gradient_of_another_dtype_than_the_output_is_cast():
    x, y = wanted(1.0, 2.0), proa.ones([2], "float64")
    (x + y).backward(proa.ones([2], "float64"))
    same(x.grad, [1.0, 1.0], "float32")


def test_the_seed_that_losses_share_is_never_changed():
    for _ in range(2):
        x = proa.to_tensor(2.0, stop_gradient=False)
        x.backward()
        x.grad.scale_(7.0)
        same(x.grad, 7.0, "float32")


def test_a_kernel_that_fails_in_a_walk_says_why():
    x = wanted(1.0, 2.0)
    y = x * 2
    y._edge[0].saved[1] = proa.ones([3])._data
    with pytest.raises(InvalidArgumentError, match="op `multiply_grad`"):
        y.sum().backward()


@pytest.mark.parametrize("rectifier", [proa.nn.functional.relu, proa.nn.functional.relu6])
def test_the_tape_keeps_a_rectifiers_output_in_place_of_its_input(rectifier):
    values = [-math.inf, -1.0, -0.0, 0.0, 1.0, 6.0, 7.0, math.inf, math.nan]
    x = wanted(*values)
    y = rectifier(x)
    assert [array is y._data for array in y._edge[0].saved] == [True]
    y.backward()
    top = 1.0 if rectifier is proa.nn.functional.relu else 0.0
    same(x.grad, [0.0, 0.0, 0.0, 0.0, 1.0, top, top, top, 1.0], "float32")
    x = wanted(-1.0, 0.0, 2.0)
    (first,) = grad(rectifier(x * x), x, create_graph=True)
    (second,) = grad(first[2], x)
    same(first, [-2.0, 0.0, 4.0], "float32")
    same(second, [0.0, 0.0, 2.0], "float32")

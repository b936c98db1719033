from __future__ import annotations

import numpy as np

import proa
from proa.jit import to_static


def test_a_step_whose_outputs_carry_no_gradient_donates_what_it_overwrites():
    total = proa.zeros([4])

    @to_static(full_graph=True)
    def count(x):
        total.add_(x)

    count(proa.ones([4]))
    before = total._data
    reference = before
    count(proa.ones([4]))
    assert reference.tolist() == [1.0] * 4
    del before, reference
    count(proa.ones([4]))
    assert total.tolist() == [3.0] * 4


def test_a_forward_whose_outputs_carry_a_gradient_is_one_taped_op():
    weight = proa.ones([2])
    weight.stop_gradient = False
    forward = to_static(lambda x: (weight * x).sum(), full_graph=True)
    out = forward(proa.to_tensor([3.0, 4.0]))
    assert not out.stop_gradient
    out.backward()
    np.testing.assert_array_equal(weight.grad.numpy(), [3.0, 4.0])
    with proa.no_grad():
        assert forward(proa.to_tensor([3.0, 4.0])).stop_gradient


def test_views_of_state_follow_a_compiled_write():
    state = proa.zeros([2, 2])
    row = state[0]
    write = to_static(lambda x: state.set_value(x), full_graph=True)
    write(proa.ones([2, 2]))
    write(proa.full([2, 2], 5.0))
    assert row.tolist() == [5.0, 5.0]


def test_the_same_tensor_may_be_returned_twice_and_unchanged():
    twice = to_static(lambda x: (x, x, x + 1), full_graph=True)
    a, b, c = twice(proa.ones([1]))
    assert (a.item(), b.item(), c.item()) == (1.0, 1.0, 2.0)

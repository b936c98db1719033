"""Numbers marked "Paddle" were printed by Paddle 3.3.1 on a CPU after `paddle.seed(2023)`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.core import InvalidArgumentError, get_op, random_input
from proa.nn import initializer


@pytest.fixture(autouse=True)
def _paddles_stream() -> Iterator[None]:
    proa.set_flags({"FLAGS_paddle_random": True})
    proa.seed(2023)
    yield
    proa.set_flags({"FLAGS_paddle_random": False})


def _after(fill, *arguments):
    return fill(proa.ones([3]), *arguments)


def _initial(made, shape=(6, 4)):
    return proa.create_parameter(list(shape), "float32", default_initializer=made)


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda: proa.rand([3]), [0.86583614, 0.52014720, 0.25960937]),
        (lambda: proa.uniform([2], min=-1, max=3), [2.46334457, 1.08058882]),
        (lambda: proa.uniform([2], min=-1, max=3, seed=7), [2.01754117, 2.79720473]),
        (lambda: proa.randn([2]), [0.06132207, 1.11349595]),
        (lambda: proa.normal(1.0, 2.0, [2]), [1.12264419, 3.22699189]),
        (lambda: proa.normal(proa.ones([2]), proa.full([2], 2.0)), [1.12264419, 3.22699189]),
        (lambda: proa.log_normal(1.0, 2.0, [2]).log(), [1.12264419, 3.22699189]),
        (lambda: proa.randint(0, 10, [5]), [8, 5, 2, 9, 4]),
        (lambda: proa.randperm(20)[:5], [0, 5, 15, 8, 10]),
        (lambda: proa.bernoulli(proa.full([4], 0.4)), [0, 0, 1, 0]),
        (lambda: proa.multinomial(proa.to_tensor([0.1, 0.2, 0.3, 0.4]), 3), [3, 2, 0]),
        (
            lambda: proa.multinomial(proa.to_tensor([0.1, 0.2, 0.3, 0.4]), 5, True),
            [3, 2, 1, 3, 2],
        ),
        (lambda: _after(proa.bernoulli_, 0.6), [0, 1, 1]),
        (lambda: _after(proa.geometric_, 0.3), [0.40390, 1.83260, 3.78097]),
        (lambda: _after(proa.Tensor.exponential_, 2.0), [1.00434673, 0.36713794, 0.15028866]),
        (lambda: _after(proa.Tensor.random_, 0, 100), [19, 8, 77]),
        (lambda: _after(proa.Tensor.random_, 0, 2**33), [231817119, 1893693608, 4132499377]),
        (lambda: F.dropout(proa.ones([4]), 0.3), [1 / 0.7, 1 / 0.7, 0, 1 / 0.7]),
        (lambda: F.dropout(proa.ones([4, 2]), 0.3, axis=0)[:, 1], [1 / 0.7, 1 / 0.7, 0, 1 / 0.7]),
        (lambda: F.alpha_dropout(proa.ones([3]), 0.3), [1.31504464, 1.31504464, -1.05954814]),
        (lambda: F.rrelu(proa.to_tensor([2.0, -1.0]), 0.1, 0.3), [2.0, -0.27316725]),
        (lambda: F.gumbel_softmax(proa.zeros([1, 3]))[0], [0.75345457, 0.16605800, 0.08048741]),
        (
            lambda: _initial(initializer.XavierUniform())[0],
            [0.56675088, 0.03121191, -0.37241158, 0.62781560],
        ),
        (
            lambda: _initial(initializer.TruncatedNormal())[0],
            [1.03296757, 0.04822236, -0.61115885, 1.20975792],
        ),
        (
            lambda: _initial(initializer.Orthogonal())[0],
            [0.01837325, 0.50381566, 0.61398381, -0.50662333],
        ),
    ],
)
def test_draws_are_paddles(draw, expected):
    np.testing.assert_allclose(draw().numpy(), expected, rtol=2e-5, atol=1e-6)


def test_each_call_goes_on_where_the_last_one_stopped():
    proa.rand([2])
    F.dropout(proa.ones([1]), 0.5)
    assert proa.rand([1]).item() == pytest.approx(0.90525323)


def test_the_position_of_the_stream_can_be_saved():
    proa.rand([5])
    state = proa.get_rng_state()
    after = proa.rand([400]).numpy()
    proa.rand([7])
    proa.set_rng_state(state)
    np.testing.assert_array_equal(proa.rand([400]).numpy(), after)


def test_a_position_saved_without_the_flag_restarts_the_stream():
    proa.set_rng_state([proa.to_tensor(np.array([0, 2023], np.uint32))])
    assert proa.rand([1]).item() == pytest.approx(0.86583614)


def test_compiled_functions_draw_from_keys():
    drawn = proa.jit.to_static(lambda: proa.rand([2]))()
    assert drawn.tolist() != pytest.approx([0.86583614, 0.52014720])
    assert proa.rand([1]).item() == pytest.approx(0.86583614)


def test_gradients_use_the_numbers_of_the_forward_pass():
    x = proa.to_tensor(np.ones(4, np.float32), stop_gradient=False)
    F.dropout(x, 0.3).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [1 / 0.7, 1 / 0.7, 0, 1 / 0.7], rtol=1e-6)


def test_wrong_arguments_meet_the_same_errors():
    with pytest.raises(InvalidArgumentError, match="rrelu"):
        F.rrelu(proa.ones([2]), 0.9, 0.1)
    with pytest.raises(InvalidArgumentError, match="multinomial"):
        proa.multinomial(proa.ones([2, 2, 2]), 1)


def test_arguments_that_noise_cannot_take_leave_the_op_a_key():
    key = random_input(get_op("uniform"), wrong=proa.ones([2]))
    assert (key.dtype, key.shape) == (proa.core.as_dtype("uint32"), [2])


def test_complex_and_attention_draws_are_paddles():
    proa.seed(11)
    drawn = proa.randn([4], dtype="complex64")
    np.testing.assert_allclose(drawn.real().numpy(), [0.5157, 1.2507, -0.1876, -0.4158], atol=1e-4)
    proa.seed(11)
    ones = proa.ones([1, 4, 2, 3])
    made = F.scaled_dot_product_attention(ones, ones, ones, dropout_p=0.5)
    np.testing.assert_allclose(made.numpy().ravel()[:8], [1, 1, 1, 1.5, 1.5, 1.5, 0.5, 0.5])

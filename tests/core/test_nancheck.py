from __future__ import annotations

import pytest

import proa
from proa.core import NonFiniteError


@pytest.fixture(autouse=True)
def _check():
    proa.set_flags({"FLAGS_check_nan_inf": True})
    yield
    proa.set_flags({"FLAGS_check_nan_inf": False})


def test_the_op_that_made_a_nan_is_named_with_the_place_in_the_users_code():
    with pytest.raises(
        NonFiniteError, match=r"op `log` gave 1 NaN and 1 Inf .*test_nancheck.py:\d+"
    ):
        proa.log(proa.to_tensor([-1.0, 0.0, 1.0]))


def test_a_gradient_that_is_not_finite_is_named_too():
    x = proa.to_tensor([0.0], stop_gradient=False)
    y = proa.sqrt(x)
    with pytest.raises(NonFiniteError, match="op `sqrt_grad`"):
        y.backward()


def test_finite_values_and_integers_pass():
    assert proa.to_tensor([1, 2]).sum().item() == 3


def test_switched_off_nothing_is_checked():
    proa.set_flags({"FLAGS_check_nan_inf": False})
    assert proa.log(proa.to_tensor([0.0])).item() == float("-inf")

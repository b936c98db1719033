from __future__ import annotations

import inspect

import numpy as np
import pytest

import proa
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    PreconditionError,
    Tensor,
    composite,
)

calls = []


@composite
def halves(x: Tensor, at: int = 0, other: Tensor | None = None) -> Tensor:
    """Halves of something."""
    calls.append(x)
    if at == 7:
        raise PreconditionError("seven", expected="another number", fix="use it")
    return x.detach()[at : x.shape[0] // 2] if other is None else other._data


def test_name_documentation_and_signature_stay():
    assert halves.__name__ == "halves"
    assert halves.__doc__ == "Halves of something."
    assert list(inspect.signature(halves).parameters) == ["x", "at", "other"]


@pytest.mark.parametrize("given", [[1, 2, 3, 4], np.array([1, 2, 3, 4]), proa.arange(1, 5)])
def test_lists_and_arrays_become_tensors(given):
    calls.clear()
    result = halves(given)
    assert isinstance(result, Tensor)
    assert result.tolist() == [1, 2]
    assert isinstance(calls[-1], Tensor)


def test_a_call_that_succeeds_runs_once():
    calls.clear()
    halves(proa.arange(4))
    assert len(calls) == 1


X = proa.arange(4)
ERRORS = [
    (lambda: halves("x"), InvalidTypeError, "`x` of `halves` is 'x' "),
    (lambda: halves(None), InvalidTypeError, "`x` of `halves` is None"),
    (lambda: halves(X, 0, "y"), InvalidTypeError, "`other` of `halves` is 'y'"),
    (lambda: halves(proa.ones([])), OutOfRangeError, r"`halves` cannot take .*x: float32\[\]"),
    (lambda: halves(X, at=7), PreconditionError, "seven"),
    (lambda: halves([0] * 4, at=7), PreconditionError, "seven"),
    (lambda: proa.var(X, axis=0, correction={}), TypeError, "of `var` is"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_three_parts_and_the_cause():
    with pytest.raises(OutOfRangeError) as caught:
        halves(proa.ones([]))
    assert caught.value.expected.startswith("other ones, since ")
    assert "the documentation of `halves`" in caught.value.fix
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_missing_argument_is_said_in_pythons_words():
    with pytest.raises(TypeError, match="halves.*missing.*'x'"):
        halves()
    with pytest.raises(TypeError, match="unexpected keyword argument 'there'"):
        halves(X, there=1)


def test_defects_pass_as_they_are():
    @composite
    def broken(x: Tensor) -> Tensor:
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        broken(X)
    assert not issubclass(InvalidArgumentError, RuntimeError)

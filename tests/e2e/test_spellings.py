"""Second spellings and orders of arguments that Paddle 3.3.1 accepts are accepted here.

`paddle_3.3.1_spellings.json` records the spellings: each candidate keyword was given to each
function of the real one, together with a keyword that none has; where that one was refused first,
the candidate is taken.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import proa
from proa.core import InvalidTypeError
from tests.e2e.signatures import lookup

RECORD: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("paddle_3.3.1_spellings.json").read_text(encoding="utf-8")
)
UNKNOWN = "no_such_parameter"


def is_taken(target, spelling: str) -> bool:
    """Whether Python refuses only the parameter that nobody has, not this one."""
    message = "unexpected keyword argument '(.*)'"
    with pytest.raises(TypeError, match=message) as caught:
        target(**{spelling: object(), UNKNOWN: object()})
    found = re.search(message, str(caught.value))
    return found is not None and found[1] == UNKNOWN


def test_recorded_spellings_are_taken():
    refused = {}
    for name, spellings in RECORD.items():
        target = lookup(name)
        wrong = [spelling for spelling in spellings if not is_taken(target, spelling)]
        if wrong:
            refused[name] = wrong
    assert not refused


def test_the_record_is_large():
    assert sum(len(spellings) for spellings in RECORD.values()) > 400


def test_a_spelling_nobody_takes_is_seen():
    assert not is_taken(lookup("paddle.sum"), "no_spelling")


@pytest.mark.parametrize(
    ("call", "own", "other"),
    [
        (proa.sum, "axis", "dim"),
        (proa.mean, "axis", "dim"),
        (proa.add, "y", "other"),
        (proa.nn.GLU, "axis", "dim"),
        (proa.nn.LayerNorm, "epsilon", "eps"),
    ],
    ids=["op", "composite", "function", "field", "constructor"],
)
def test_both_spellings_are_refused(call, own, other):
    with pytest.raises(ValueError, match=f"`{own}` and `{other}`, which are one argument"):
        call(**{own: 1, other: 1})


def test_missing_arguments_are_told():
    with pytest.raises(TypeError, match=r"multiply\(\): missing a required argument: 'y'"):
        proa.multiply(input=proa.ones([2]))
    with pytest.raises(TypeError, match=r"abs\(\): missing a required argument: 'x'"):
        proa.abs_()
    with pytest.raises(TypeError, match=r"mean\(\): missing a required argument: 'x'"):
        proa.mean(dim=0)


x = np.array([[1.0, 5.0, 2.0], [3.0, 4.0, 9.0]], np.float32)
rows, spots = np.array([0, 1]), np.array([[0, 1, 0], [1, 0, 1]])
ones = np.ones([2, 2], np.float32)
image = np.arange(8.0, dtype=np.float32).reshape(1, 4, 2, 1)

# Two calls that mean the same. `t` is `x`, `i` are `rows`, `j` are `spots`.
SAME = [
    ("sum(input=t, dim=1)", "sum(t, 1)"),
    ("sum(t, 1, True)", "sum(t, 1, keepdim=True)"),
    ("sum(t, 1, True, 'float64')", "sum(t, 1, 'float64', True)"),
    ("mean(input=t, dim=1)", "mean(t, 1)"),
    ("add(input=t, other=t)", "add(t, t)"),
    ("t.clone().add_(other=t)", "add(t, t)"),
    ("pow(t, exponent=2)", "pow(t, 2)"),
    ("nn.functional.relu(input=t - 3)", "nn.functional.relu(t - 3)"),
    ("nn.functional.softmax(input=t, dim=0)", "nn.functional.softmax(t, 0)"),
    ("concat(tensors=[t, t], dim=1)", "concat([t, t], 1)"),
    ("stack(tensors=[t, t], dim=1)", "stack([t, t], 1)"),
    ("flatten(t, start_dim=0, end_dim=1)", "flatten(t, 0, 1)"),
    ("reshape(t, 3, 2)", "reshape(t, [3, 2])"),
    ("t.reshape(3, -1)", "reshape(t, [3, -1])"),
    ("expand(t, 2, 2, 3)", "expand(t, [2, 2, 3])"),
    ("expand(input=t, size=[2, 2, 3])", "expand(t, [2, 2, 3])"),
    ("tile(t, 2, 3)", "tile(t, [2, 3])"),
    ("tile(t, dims=[2, 3])", "tile(t, [2, 3])"),
    ("permute(t, 1, 0)", "transpose(t, [1, 0])"),
    ("permute(t, dims=(1, 0))", "transpose(t, [1, 0])"),
    ("transpose(t, dim0=0, dim1=1)", "transpose(t, [1, 0])"),
    ("transpose(t, axis0=0, axis1=1)", "transpose(t, [1, 0])"),
    ("t.swapdims(dim0=0, dim1=1)", "transpose(t, [1, 0])"),
    ("diagonal(t, dim1=0, dim2=1)", "diagonal(t, 0, 0, 1)"),
    ("roll(t, 1, dims=0)", "roll(t, 1, 0)"),
    ("index_select(t, 1, i)", "index_select(t, i, 1)"),
    ("index_select(t, dim=1, index=i)", "index_select(t, i, 1)"),
    ("index_add(t, 1, i, c)", "index_add(t, i, 1, c)"),
    ("t.clone().index_add_(1, i, c)", "index_add(t, i, 1, c)"),
    ("index_add(t, index=i, dim=1, source=c)", "index_add(t, i, 1, c)"),
    ("gather(t, 1, j)", "take_along_axis(t, j, 1)"),
    ("gather(input=t, dim=1, index=j)", "take_along_axis(t, j, 1)"),
    ("scatter(t, 1, j, t)", "put_along_axis(t, j, t, 1)"),
    ("scatter(t, 1, j, 2.0)", "put_along_axis(t, j, 2.0, 1)"),
    ("scatter(input=t, dim=1, index=j, src=t)", "put_along_axis(t, j, t, 1)"),
    ("scatter(t, dim=1, index=j, value=2.0)", "put_along_axis(t, j, 2.0, 1)"),
    ("scatter(t, 1, j, t, reduce='add')", "put_along_axis(t, j, t, 1, 'add')"),
    ("t.clone().scatter_(1, j, t)", "put_along_axis(t, j, t, 1)"),
    ("searchsorted(t[0].sort(), input=t[1])", "searchsorted(t[0].sort(), t[1])"),
    ("median(t, dim=1)[0]", "median(t, 1, mode='min')[0]"),
    ("zeros(2, 3)", "zeros([2, 3])"),
    ("zeros(size=[2, 3])", "zeros([2, 3])"),
    ("full(size=[2], fill_value=3.0)", "full([2], 3.0)"),
    ("linspace(0, 1, steps=3)", "linspace(0, 1, 3)"),
    ("eye(n=2, m=3)", "eye(2, 3)"),
    (
        "nn.functional.group_norm(g, 2, a, b, 1e-3)",
        "nn.functional.group_norm(g, 2, 1e-3, a, b)",
    ),
    ("nn.functional.group_norm(g, 2, a, b)", "nn.functional.group_norm(g, 2, 1e-5, a, b)"),
]


@pytest.mark.parametrize(("given", "first"), SAME, ids=[given for given, _ in SAME])
def test_calls_mean_the_same(given, first):
    arrays = {"t": x, "i": rows, "j": spots, "c": ones, "g": image, "a": x[0][[0, 1, 2, 0]]}
    names = {name: proa.to_tensor(array) for name, array in arrays.items()}
    names["b"] = names["a"] + 1
    got, expected = (eval(_rooted(call), {"proa": proa, **names}) for call in (given, first))
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected.numpy())


def _rooted(call: str) -> str:
    return call if call.startswith("t.") else f"proa.{call}"


ELSEWHERE = [
    (lambda t: proa.max(t, dim=1), "`max` is given `dim`"),
    (lambda t: t.min(dim=1), "`min` is given `dim`"),
    (lambda t: proa.sort(input=t), "`sort` is given `input`"),
    (lambda t: proa.split(t, 2, dim=0), "`split` is given `dim`"),
    (lambda t: proa.nn.Linear(2, 3, bias=False), "`Linear` is given `bias`"),
    (lambda t: proa.nn.Unfold(kernel_size=2), "`Unfold` is given `kernel_size`"),
]


@pytest.mark.parametrize(("call", "message"), ELSEWHERE, ids=[m for _, m in ELSEWHERE])
def test_keywords_of_another_result_lead_to_compat(call, message):
    with pytest.raises(InvalidTypeError, match=rf"{message}(.|\n)*see `proa\.compat`"):
        call(proa.to_tensor(x))


# Functions of compiled code that take `out`, though their recorded signatures do not show it.
WITH_OUT = {
    "argmax": lambda t: (t, 1),
    "argmin": lambda t: (t, 1),
    "asin": lambda t: (t / 10,),
    "diagonal": lambda t: (t,),
    "expand_as": lambda t: (t[:1], t),
    "index_put": lambda t: (t, (proa.to_tensor([0]),), proa.to_tensor(7.0)),
    "isclose": lambda t: (t, t),
    "isfinite": lambda t: (t,),
    "isinf": lambda t: (t,),
    "isnan": lambda t: (t,),
    "roll": lambda t: (t, 1),
    "nn.functional.gelu": lambda t: (t,),
    "nn.functional.grid_sample": lambda t: (t.reshape([1, 1, 2, 3]), proa.zeros([1, 1, 1, 2])),
    "nn.functional.softplus": lambda t: (t,),
    "sum": lambda t: (t, 1),
    "matmul": lambda t: (t, t.T),
}


@pytest.mark.parametrize("name", WITH_OUT)
def test_results_go_into_out(name):
    function, arguments = lookup(f"paddle.{name}"), WITH_OUT[name](proa.to_tensor(x))
    expected = function(*arguments)
    out = proa.zeros(expected.shape, expected.dtype)
    assert function(*arguments, out=out) is out
    np.testing.assert_array_equal(out.numpy(), expected.numpy())

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from tests.ops.harness import compiled, same

DRAWS = 4000
UNIFORM = stats.uniform
NORMAL = stats.norm
DISTRIBUTIONS = [
    (lambda: proa.rand([DRAWS]), UNIFORM(0, 1)),
    (lambda: proa.uniform([DRAWS], min=-2.0, max=3.0), UNIFORM(-2, 5)),
    (lambda: proa.uniform([DRAWS], "float64"), UNIFORM(0, 1)),
    (lambda: proa.rand_like(proa.zeros([DRAWS])), UNIFORM(0, 1)),
    (lambda: proa.randn([DRAWS]), NORMAL(0, 1)),
    (lambda: proa.standard_normal([DRAWS]), NORMAL(0, 1)),
    (lambda: proa.randn_like(proa.zeros([DRAWS])), NORMAL(0, 1)),
    (lambda: proa.normal(2.0, 3.0, [DRAWS]), NORMAL(2, 3)),
    (lambda: proa.normal(proa.full([DRAWS], 2.0), 3.0), NORMAL(2, 3)),
    (lambda: proa.ops.gaussian([DRAWS], 2.0, 3.0), NORMAL(2, 3)),
    (lambda: proa.log_normal(0.5, 0.25, [DRAWS]), stats.lognorm(0.25, scale=np.exp(0.5))),
]


@pytest.mark.parametrize(("draw", "expected"), DISTRIBUTIONS)
def test_distributions(draw, expected):
    drawn = draw().numpy()
    assert stats.kstest(drawn, expected.cdf).pvalue > 1e-3
    assert not np.array_equal(drawn, draw().numpy())


def test_the_seed_repeats_the_stream():
    proa.seed(5)
    first = [proa.rand([3]).tolist(), proa.randn([3]).tolist(), proa.randint(9, shape=[3]).tolist()]
    proa.seed(5)
    again = [proa.rand([3]).tolist(), proa.randn([3]).tolist(), proa.randint(9, shape=[3]).tolist()]
    assert first == again


def test_a_seed_of_the_call_gives_equal_numbers_each_time():
    same(proa.uniform([3], seed=3), proa.uniform([3], seed=3).numpy())
    same(proa.ops.gaussian([3], seed=3), proa.ops.gaussian([3], seed=3).numpy())
    assert proa.uniform([3], seed=3).tolist() != proa.uniform([3], seed=4).tolist()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_upper_end_is_never_drawn_in_half_precision(dtype):
    x = proa.uniform([20000], dtype, min=0.0, max=1.0)
    assert x.dtype == dtype
    assert float(x.astype("float32").max()) < 1.0


def test_integers_cover_their_range_evenly():
    x = proa.randint(2, 6, [DRAWS])
    assert x.dtype == "int64"
    counts = np.bincount(x.numpy(), minlength=6)
    assert counts[:2].tolist() == [0, 0]
    assert stats.chisquare(counts[2:]).pvalue > 1e-3


def test_integer_shapes_and_dtypes():
    assert proa.randint(3).shape == [1]
    assert proa.randint(0, 3, [2], "int32").dtype == "int32"
    same(proa.randint(4, 5, [2]), [4, 4])
    like = proa.randint_like(proa.zeros([2]), 5)
    assert (like.dtype, like.shape) == ("float32", [2])


def test_permutations():
    drawn = proa.randperm(50)
    assert drawn.dtype == "int64"
    assert sorted(drawn.tolist()) == list(range(50))
    assert drawn.tolist() != list(range(50))
    assert proa.randperm(3, "int32").dtype == "int32"


def test_changing_bounds_compile_nothing():
    proa.uniform([2])
    op = proa.ops._random.draw_uniform.op
    before = len(op.kernels)
    for high in (2.0, 3.0):
        proa.uniform([2], max=high)
    assert len(op.kernels) == before


def test_a_recorded_function_draws_new_numbers_each_time():
    static = compiled(lambda x: x + proa.rand([3]))
    zero = proa.zeros([3])
    proa.seed(1)
    recorded = [static(zero).tolist(), static(zero).tolist()]
    proa.seed(1)
    eager = [proa.rand([3]).tolist(), proa.rand([3]).tolist()]
    np.testing.assert_allclose(recorded, eager, rtol=1e-6)
    assert recorded[0] != recorded[1]


def test_keyword_arguments():
    out = proa.zeros([2])
    assert proa.rand([2], out=out) is out
    assert not proa.randn([2], requires_grad=True).stop_gradient
    assert proa.normal(1.0, 0.0, [2], out=out) is out
    same(out, [1.0, 1.0])
    assert proa.normal().shape == [1]
    assert proa.rand(2, 3).shape == [2, 3]
    assert proa.randn(2, 3, 4).shape == [2, 3, 4]


ERRORS = [
    (lambda: proa.rand([2], "int32"), TypeError, "`dtype` of `rand` is int32"),
    (lambda: proa.randn([2], "int32"), TypeError, "`dtype` of `randn` is int32"),
    (lambda: proa.uniform([2], "bool"), TypeError, "`dtype` of `uniform` is bool"),
    (lambda: proa.ops.gaussian([2], dtype="bool"), TypeError, "`dtype` of `gaussian` is bool"),
    (lambda: proa.normal(0.0, -1.0, [2]), ValueError, "`std` of `normal` is -1.0"),
    (lambda: proa.randint(0), ValueError, "`randint` from 0 up to, not including, 0"),
    (lambda: proa.randint_like(proa.zeros([1]), 3, 2), ValueError, "`randint_like` from 3"),
    (lambda: proa.randperm(0), ValueError, "`n` of `randperm` is 0"),
    (lambda: proa.rand([-2]), ValueError, "`shape` of `rand`"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()

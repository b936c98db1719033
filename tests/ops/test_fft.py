from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import proa
from proa.core import UnsupportedError
from tests.ops.harness import Case, case_ids, check_case, complexes, randn, same

LOW = ()
REASON = "sums of products"
TOLERANCE = {"float32": (1e-5, 4e-6), "complex64": (1e-5, 4e-6), "compiled": (1e-5, 2e-6)}


def half(*shape):
    """Half of a Hermitian tensor along the last axis, with what must be real made so."""
    values = complexes(*shape)
    values[..., 0] = values[..., 0].real
    return values


def row(name, x, second=True, **settings):
    ours, theirs = getattr(proa.fft, name), getattr(scipy.fft, name)
    return Case(
        ours,
        (x,),
        settings,
        ref=lambda given: theirs(given, **settings),
        low=LOW,
        second=second,
        # XLA's partitioner aborts on some transforms along an axis that lies in parts.
        sharded=not name.endswith("n") and 0 not in settings.get("axes", ()),
        tolerance=TOLERANCE,
        reason=REASON,
        id=f"{name} {settings}",
    )


def rows():
    for name in ("fft", "ifft"):
        yield row(name, randn(4, 5))
        yield row(name, complexes(4, 5), n=7, axis=0, norm="ortho")
    for name in ("rfft", "ihfft"):
        yield row(name, randn(4, 5))
        yield row(name, randn(4, 6), n=4, axis=0, norm="forward")
    for name in ("irfft", "hfft"):
        yield row(name, half(4, 5))
        yield row(name, half(4, 5), n=7, norm="ortho")
    for name in ("fft2", "ifft2"):
        yield row(name, complexes(4, 3, 2))
    for name in ("rfft2", "ihfft2"):
        yield row(name, randn(4, 3, 2), s=(3, 4), norm="ortho")
    for name in ("irfft2", "hfft2"):
        yield row(name, half(4, 3, 3), axes=(0, 2), norm="forward")
    for name in ("fftn", "ifftn"):
        yield row(name, complexes(4, 3, 2), s=(2, 5), axes=(2, 0))
    yield row("fftn", randn(2, 1, 2, 2))
    for name in ("rfftn", "ihfftn"):
        yield row(name, randn(4, 3, 2))
    for name in ("irfftn", "hfftn"):
        yield row(name, half(4, 3, 3), s=(3, 5), axes=(0, 2))
    yield row("fftshift", randn(4, 3))
    yield row("ifftshift", randn(4, 3), axes=(1,))


CASES = list(rows())


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


@pytest.mark.parametrize("dtype", ["int64", "bool", "float16", "bfloat16"])
def test_what_is_no_float_is_transformed_in_float32(dtype):
    found = proa.fft.fft(proa.to_tensor([1, 0, 1]).astype(dtype))
    same(found, np.fft.fft([1, 0, 1]), "complex64")
    assert proa.fft.irfft(proa.to_tensor([1, 0, 1])).dtype.name == "float32"


def test_lengths_without_axes_are_those_of_the_last_axes():
    x = proa.ones([2, 3, 4])
    assert proa.fft.fftn(x, s=[2, 5]).shape == [2, 2, 5]
    assert proa.fft.rfftn(x, axes=[1]).shape == [2, 2, 4]


def test_the_result_goes_into_out():
    out = proa.zeros([3], "complex64")
    assert proa.fft.fft(proa.ones([3]), out=out) is out
    same(out, [3, 0, 0])


X = proa.ones([3])
ERRORS = [
    (lambda: proa.fft.fft(X, n=0), "`fft` is to transform 0 points"),
    (lambda: proa.fft.fft(proa.ones([2, 0])), "`fft` is to transform 0 points"),
    (lambda: proa.fft.irfft(proa.ones([1], "complex64")), "`irfft` is to transform 0 points"),
    (lambda: proa.fft.fft(X, axis=3), "`axis` is 3"),
    (lambda: proa.fft.fft(X, norm="x"), "`norm` of `fft` is 'x'"),
    (lambda: proa.fft.fft2(X), "`fft2` got s=None"),
    (lambda: proa.fft.fftn(proa.ones([2, 2]), axes=[0, 0]), "names an axis twice"),
    (lambda: proa.fft.fftn(X, s=[2, 2], axes=[0]), "as many lengths as axes"),
    (lambda: proa.fft.fftn(X, s=[2, 2]), "as many lengths as axes"),
    (lambda: proa.fft.rfftn(proa.to_tensor(1.0)), "as many lengths as axes"),
    (lambda: proa.fft.rfft(proa.ones([3], "complex64")), "`x` of `rfft` is .*complex64"),
    (lambda: proa.fft.fftshift(X, axes=1), "`axes` is 1"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()


def test_a_layout_that_would_end_the_process_is_refused():
    mesh = proa.distributed.ProcessMesh([0, 1], dim_names=["x"])
    split, whole = [proa.distributed.Shard(0)], [proa.distributed.Replicate()]
    x = proa.distributed.shard_tensor(proa.arange(6.0).reshape([6, 1]), mesh, split)
    with pytest.raises(UnsupportedError, match=r"along axis 0(.|\n)*2 parts of 3(.|\n)*reshard"):
        proa.fft.fft(x, axis=0)
    with pytest.raises(UnsupportedError, match="along axis 0"):
        proa.fft.fftn(x)
    wanted = proa.fft.fft(proa.arange(6.0)).numpy()
    gathered = proa.distributed.reshard(x, mesh, whole)
    np.testing.assert_allclose(proa.fft.fft(gathered, axis=0).numpy()[:, 0], wanted, atol=1e-5)
    np.testing.assert_allclose(proa.fft.fft(x, axis=1).numpy()[:, 0], np.arange(6.0))

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from proa.native import bilinear_primitive


@pytest.fixture(scope="module")
def product():
    """An outer product that tells by its kernel's sign which form ran."""
    first = bilinear_primitive(
        "test_outer",
        lambda a, b: (a.shape[0], b.shape[0]),
        lambda a, b: a[:, None] * b[None, :],
        lambda a, b: -(a[:, None] * b[None, :]),
        lambda ct, a, b: ct @ b,
        lambda ct, a, b: a @ ct,
    )
    return first.bind


def test_the_kernel_runs_for_float32_where_there_are_kernels(product, monkeypatch):
    a, b = np.array([1.0, 2.0], np.float32), np.array([3.0, 5.0], np.float32)
    for there, sign in ((True, -1), (False, 1)):
        monkeypatch.setattr("proa.native._primitive.has_kernels", lambda there=there: there)
        got = jax.jit(lambda a, b: product(a, b))(a, b)
        np.testing.assert_array_equal(got, sign * np.outer(a, b))
    monkeypatch.setattr("proa.native._primitive.has_kernels", lambda: True)
    wide = jax.jit(lambda a, b: product(a, b))(a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_array_equal(wide, np.outer(a, b))


def test_it_runs_where_jit_is_switched_off(product):
    a, b = np.array([1.0, 2.0], np.float64), np.array([3.0, 5.0], np.float64)
    with jax.disable_jit():
        np.testing.assert_array_equal(product(a, b), np.outer(a, b))


def test_gradients_follow_the_rules(product):
    a, b = np.array([1.0, 2.0], np.float32), np.array([3.0, 5.0], np.float32)
    weight = jnp.array([[1.0, 10.0], [100.0, 1000.0]])
    slopes = jax.grad(lambda a, b: (product(a, b) * weight).sum(), argnums=(0, 1))(a, b)
    np.testing.assert_array_equal(slopes[0], weight @ b)
    np.testing.assert_array_equal(slopes[1], a @ weight)


def test_on_several_devices_xlas_form_runs(product, monkeypatch):
    if len(jax.devices()) < 2:
        pytest.skip("one device")
    monkeypatch.setattr("proa.native._primitive.has_kernels", lambda: True)
    mesh = jax.make_mesh((2,), ("dp",))
    spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("dp"))
    a = jax.device_put(np.array([1.0, 2.0], np.float32), spread)
    b = np.array([3.0, 5.0], np.float32)
    np.testing.assert_array_equal(jax.jit(lambda a, b: product(a, b))(a, b), np.outer(a, b))

from __future__ import annotations

import jax
import pytest

from proa.jit._uncached import past_compile_cache


def test_the_cache_is_off_inside_and_as_before_outside():
    before = jax.config.jax_enable_compilation_cache
    with past_compile_cache():
        assert not jax.config.jax_enable_compilation_cache
        with past_compile_cache():
            assert not jax.config.jax_enable_compilation_cache
        assert not jax.config.jax_enable_compilation_cache
    assert jax.config.jax_enable_compilation_cache == before
    with pytest.raises(KeyError), past_compile_cache():
        raise KeyError
    assert jax.config.jax_enable_compilation_cache == before

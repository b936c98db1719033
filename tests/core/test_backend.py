from __future__ import annotations

import os
import subprocess
import sys

import jax
import pytest

import proa


def test_integers_have_64_bits():
    assert jax.config.jax_enable_x64
    assert proa.to_tensor([2**40]).item() == 2**40


def run(code: str, **environment: str) -> str:
    cleared = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**cleared, "JAX_PLATFORMS": "cpu", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_devices_are_simulated_and_kernels_are_kept_on_the_disk(tmp_path):
    code = "import proa, jax; proa.ones([2]) + 1; print(len(jax.devices()))"
    folder = tmp_path / "cache"
    assert run(code, FLAGS_num_cpu_devices="3", FLAGS_compile_cache_dir=str(folder)) == "3"
    assert any(folder.iterdir())


@pytest.mark.parametrize("setting", [{"FLAGS_compile_cache": "0"}], ids=str)
def test_the_cache_can_be_switched_off(tmp_path, setting):
    folder = tmp_path / "cache"
    run("import proa; proa.ones([2]) + 1", FLAGS_compile_cache_dir=str(folder), **setting)
    assert not folder.exists()


def test_importing_starts_no_device():
    code = "import proa; from jax._src import xla_bridge as b; print(b.backends_are_initialized())"
    assert run(code) == "False"

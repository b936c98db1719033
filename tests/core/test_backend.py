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


TROUBLES = {
    "a file": "folder.touch()",
    "garbage in it": "work(1); [p.write_bytes(b'x') for p in folder.iterdir()]; jax.clear_caches()",
    "gone meanwhile": "work(1); shutil.rmtree(folder)",
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_folder_that_fails_costs_one_warning_and_nothing_else(tmp_path, trouble):
    code = f"""
import pathlib, shutil, sys, warnings
folder = pathlib.Path(sys.argv[1])
def work(start):
    return sum((proa.ones([size]) * 2 + 1).sum().item() for size in range(start, start + 3))
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    if {trouble!r} == "a file":
        {TROUBLES[trouble]}
    import jax, proa
    if {trouble!r} != "a file":
        {TROUBLES[trouble]}
    print(work(1), work(11), len(seen))
"""
    folder = tmp_path / "cache"
    code = code.replace("sys.argv[1]", repr(str(folder)))
    assert run(code, FLAGS_compile_cache_dir=str(folder)) == "18.0 108.0 1"

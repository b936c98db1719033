from __future__ import annotations

import os
import subprocess
import sys

import pytest

from proa.native import describe_kernels, has_kernels

CODE = """
import numpy as np, proa, proa.native
x = proa.to_tensor(np.arange(48, dtype="float32").reshape(1, 3, 4, 4))
w = proa.ones([3, 1, 3, 3])
y = proa.nn.functional.conv2d(x, w, padding=1, groups=3)
print(float(y.sum()), proa.native.describe_kernels())
"""


def run(tmp_path, **environment):
    folder = {"FLAGS_compile_cache_dir": str(tmp_path / "xla"), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, **folder, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    total, _, text = done.stdout.strip().partition(" ")
    # Each element is counted once per window: 4, 6 or 9 times.
    assert float(total) == 7050.0
    return text


def test_without_a_compiler_xlas_code_gives_the_same(tmp_path):
    text = run(tmp_path, CXX="no-such-compiler")
    assert text == "XLA's own code instead: no C++ compiler (c++, g++, clang++, or CXX)"


def test_the_kernels_can_be_switched_off(tmp_path):
    assert run(tmp_path, FLAGS_native_kernels="0") == "switched off (FLAGS_native_kernels)"


@pytest.mark.skipif(not has_kernels(), reason="no C++ compiler")
def test_the_kernels_stand_beside_the_compile_cache():
    path = describe_kernels()
    assert os.path.basename(path).startswith("kernels-")
    assert path.endswith(".so")

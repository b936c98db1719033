from __future__ import annotations

import io
import os
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proa.core import ArtifactError
from proa.framework._unpickle import load_plain


def _read(content: bytes) -> Any:
    return load_plain(io.BytesIO(content), "the file")


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_arrays_and_plain_values_come_back(protocol: int) -> None:
    given = OrderedDict(
        a=np.arange(6.0).reshape(2, 3),
        f=np.asfortranarray(np.ones((2, 3), "float16")),
        scalar=np.float32(1.5),
        nested=[1, "text", b"bytes", (None, True, 2.5, 1j), {3}, frozenset([4])],
    )
    read = _read(pickle.dumps(given, protocol))
    assert type(read) is OrderedDict
    np.testing.assert_array_equal(read["a"], given["a"])
    assert read["f"].dtype == np.float16
    assert read["scalar"] == 1.5
    assert read["nested"] == given["nested"]


def test_arrays_of_numpy_before_2_come_back() -> None:
    content = pickle.dumps(np.ones(3), 2).replace(b"numpy._core", b"numpy.core")
    assert _read(content).tolist() == [1.0, 1.0, 1.0]


class _Attack:
    def __init__(self, call: Any, *arguments: Any) -> None:
        self.call, self.arguments = call, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.call, self.arguments


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (os.system, r"posix\.system|nt\.system"),
        (eval, r"builtins\.eval"),
        (getattr, r"builtins\.getattr"),
        (__import__, r"builtins\.__import__"),
        (np.load, r"numpy\.load"),
    ],
)
@pytest.mark.parametrize("protocol", [2, 4])
def test_code_is_refused_by_its_name_and_does_not_run(
    tmp_path: Path, call: Any, named: str, protocol: int
) -> None:
    marker = tmp_path / "ran"
    content = pickle.dumps({"w": np.ones(2), "x": _Attack(call, f"touch {marker}")}, protocol)
    content = content.replace(b"__builtin__", b"builtins") if protocol == 4 else content
    with pytest.raises(ArtifactError, match=rf"{named}|__builtin__"):
        _read(content)
    assert not marker.exists()


def test_a_class_of_a_framework_is_refused_without_importing_it() -> None:
    with pytest.raises(ArtifactError, match=r"'no_such_package\.Tensor'"):
        _read(b"cno_such_package\nTensor\n.")


@pytest.mark.parametrize("content", [b"", b"garbage", pickle.dumps({"a": np.ones(9)})[:60]])
def test_a_damaged_file_is_refused(content: bytes) -> None:
    with pytest.raises(ArtifactError, match="the file is truncated, altered or of another kind"):
        _read(content)

from __future__ import annotations

from pathlib import Path

import proa


def test_headers_of_custom_calls_are_there():
    assert (Path(proa.sysconfig.get_include()) / "xla" / "ffi" / "api" / "ffi.h").is_file()


def test_libraries_are_there():
    names = [path.name for path in Path(proa.sysconfig.get_lib()).iterdir()]
    assert any(".so" in name or ".dll" in name or ".dylib" in name for name in names)

from __future__ import annotations

import stat
import subprocess
import sys
import warnings

import jax
import numpy as np
import pytest

import proa
from proa.core import set_flags
from proa.inference import Config, create_predictor
from proa.jit import _executables as _store
from proa.jit import save
from proa.jit._executables import ExecutableStore, machine_fingerprint, source_fingerprint
from proa.static import InputSpec

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def path(tmp_path):
    return save(proa.nn.Linear(3, 2), tmp_path / "net", [InputSpec([None, 3], name="x")])


def _start(path, folder="beside"):
    """A start of the program: a predictor, its answer, and what its store did."""
    config = Config(path)
    config.set_cache(folder)
    predictor = create_predictor(config)
    (out,) = predictor.run([X])
    return out, predictor._shared.options.store


def _files(folder):
    return sorted(folder.glob("*.xla"))


def test_a_second_start_reads_what_the_first_has_written(path):
    first, written = _start(path)
    assert written.folder == path.with_name("net.proa.cache")
    assert (written.loaded, written.saved) == (0, 1)
    second, read = _start(path)
    assert (read.loaded, read.saved) == (1, 0)
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("damage", ["cut", "one byte", "empty", "foreign", "another key"])
def test_a_file_that_is_not_ours_is_never_loaded_and_written_anew(path, damage, monkeypatch):
    first, store = _start(path)
    (file,) = _files(store.folder)
    content = bytearray(file.read_bytes())
    if damage == "cut":
        content = content[:-100]
    elif damage == "one byte":
        content[len(content) // 2] ^= 1
    elif damage == "empty":
        content = bytearray()
    elif damage == "foreign":
        content[-32:] = b"\0" * 32
    else:
        content[40] ^= 1
    file.write_bytes(bytes(content))

    def never(*args, **options):
        raise AssertionError("a file that is not ours was opened")

    with monkeypatch.context() as patch:
        patch.setattr(_store.serialize_executable, "deserialize_and_load", never)
        with pytest.warns(UserWarning, match="is damaged, or was written by somebody else; the mo"):
            second, again = _start(path)
    assert (again.loaded, again.saved, again.refused) == (0, 1, 1)
    np.testing.assert_array_equal(first, second)
    assert _start(path)[1].loaded == 1


def test_one_warning_stands_for_all(path):
    config = Config(path)
    predictor = create_predictor(config)
    for rows in (1, 2, 3):
        predictor.run([X[:1].repeat(rows, axis=0)])
    for file in _files(path.with_name("net.proa.cache")):
        file.write_bytes(b"junk")
    predictor = create_predictor(config)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for rows in (1, 2, 3):
            predictor.run([X[:1].repeat(rows, axis=0)])
    assert ["written by somebody else" in str(each.message) for each in caught] == [True]
    assert predictor._shared.options.store.refused == 3


def test_an_executable_that_does_not_run_is_compiled_anew(path, monkeypatch):
    first, _ = _start(path)

    def fail(*args):
        raise jax.errors.JaxRuntimeError("NOT_FOUND: some function")

    monkeypatch.setattr(
        _store.serialize_executable, "deserialize_and_load", lambda *args, **options: fail
    )
    with pytest.warns(UserWarning, match="does not run .NOT_FOUND"):
        second, store = _start(path)
    assert store.saved == 1
    np.testing.assert_array_equal(first, second)


def test_what_xla_refuses_is_compiled_anew(path, monkeypatch):
    first, _ = _start(path)

    def fail(*args, **options):
        raise ValueError("another version")

    monkeypatch.setattr(_store.serialize_executable, "deserialize_and_load", fail)
    with pytest.warns(UserWarning, match=r"cannot be loaded \(another version\)"):
        np.testing.assert_array_equal(_start(path)[0], first)


def test_nothing_is_kept_when_that_is_asked_for(path):
    assert _start(path, None)[1] is None
    set_flags({"FLAGS_compile_cache": False})
    try:
        assert _start(path)[1] is None
    finally:
        set_flags({"FLAGS_compile_cache": True})
    assert not path.with_name("net.proa.cache").exists()


def test_where_the_models_folder_cannot_be_written_the_users_is_taken(path, tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    _store._secret.cache_clear()
    try:
        path.with_name("net.proa.cache").write_text("in the way")
        _, store = _start(path)
        assert store.folder.is_relative_to(home / ".cache" / "proa" / "models")
        assert _start(path)[1].loaded == 1
        secret = home / ".cache" / "proa" / "secret"
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        assert len(secret.read_bytes()) == 32
        # Another user's secret: nothing of it is loaded.
        secret.unlink()
        _store._secret.cache_clear()
        with pytest.warns(UserWarning, match="written by somebody else"):
            assert _start(path)[1].loaded == 0
        secret.chmod(0o644)
        _store._secret.cache_clear()
        with pytest.warns(UserWarning, match="is not a secret of this user alone"):
            _, store = _start(path)
        assert (store.loaded, store.saved) == (0, 0)
    finally:
        _store._secret.cache_clear()


def test_where_nothing_can_be_written_one_warning_says_so(path, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="cannot be written") as caught:
        out, store = _start(path, tmp_path / "file")
    assert (len(caught), store.folder, out.shape) == (1, None, (2, 2))


def test_the_folder_is_bounded_and_the_oldest_goes_first(path, tmp_path):
    config = Config(path)
    config.set_cache(tmp_path / "kept", max_megabytes=0.05)
    config.switch_ir_optim(False)
    predictor = create_predictor(config)
    for rows in range(1, 8):
        predictor.run([X[:1].repeat(rows, axis=0)])
    files = _files(tmp_path / "kept")
    assert sum(f.stat().st_size for f in files) <= 0.05 * 2**20
    assert 0 < len(files) < 7
    store = predictor._shared.options.store
    assert store.path(((7, 3),)) in files


def test_another_environment_has_files_of_its_own(tmp_path, monkeypatch):
    device = jax.devices()[0]
    here = ExecutableStore([tmp_path], "model", 2**20, device)
    names = {here.path(((1, 3),)), here.path(((2, 3),))}
    names.add(ExecutableStore([tmp_path], "other", 2**20, device).path(((1, 3),)))
    monkeypatch.setenv("XLA_FLAGS", os_flags := "--xla_cpu_enable_fast_math=true")
    names.add(ExecutableStore([tmp_path], "model", 2**20, device).path(((1, 3),)))
    assert (len(names), os_flags[:5]) == (4, "--xla")
    assert len(machine_fingerprint()) == len(source_fingerprint()) == 16


def test_a_missing_file_is_no_reason_to_warn(tmp_path):
    store = ExecutableStore([tmp_path / "none"], "model", 2**20, jax.devices()[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.load(((1, 3),), (None, None)) is None


def test_kernels_of_ours_are_there_before_an_executable_that_calls_them(tmp_path):
    net = proa.nn.Conv2D(3, 2, 3)
    path = save(net, tmp_path / "net", [InputSpec([None, 3, 5, 5], name="x")])
    create_predictor(Config(path)).run([np.ones((1, 3, 5, 5), np.float32)])
    code = (
        "import sys, numpy as np; from proa.inference import Config, create_predictor\n"
        "predictor = create_predictor(Config(sys.argv[1]))\n"
        "predictor.run([np.ones((1, 3, 5, 5), np.float32)])\n"
        "print(predictor._shared.options.store.loaded)"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"

"""Entry points of a `hubconf.py` in a local folder.

The names shadow built-ins, as Paddle's do, so this module uses none of those two.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlparse

from proa.core import ArtifactError, InvalidArgumentError, NotFoundError, UnsupportedError
from proa.framework import load as load_file

_FILE = "hubconf.py"
_SOURCES = ("github", "gitee", "local")
_DIGEST = re.compile(r"-([a-f0-9]{8,})\.")


def _folder(repo_dir: str | os.PathLike[str], source: str) -> Path:
    if source not in _SOURCES:
        raise InvalidArgumentError(
            f"`source` is {source!r}",
            expected="one of " + ", ".join(_SOURCES),
            fix="choose 'local'",
        )
    if source != "local":
        raise UnsupportedError(
            f"the repository {os.fspath(repo_dir)!r} of {source!r} lies in the network",
            expected="source='local' and a folder: Proa runs no code that it would have to fetch",
            fix="clone the repository, then pass its folder with source='local'",
        )
    folder = Path(repo_dir)
    if not (folder / _FILE).is_file():
        raise NotFoundError(
            f"the folder {str(folder)!r} has no {_FILE}",
            expected=f"a folder with a {_FILE} that defines the entry points",
            fix="correct the folder",
        )
    return folder


def _missing(module: ModuleType) -> builtins.list[str]:
    wanted = getattr(module, "dependencies", ())
    return [name for name in wanted if importlib.util.find_spec(name) is None]


def _configuration(repo_dir: str | os.PathLike[str], source: str, anew: bool) -> ModuleType:
    """Runs the folder's `hubconf.py` as a module of its own, or takes the one that ran before."""
    folder = _folder(repo_dir, source).resolve()
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    name = f"_proa_hub_{digest}"
    if name in sys.modules and not anew:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, folder / _FILE)
    if spec is None or spec.loader is None:
        raise NotFoundError(
            f"{folder / _FILE} cannot be imported", expected="Python source", fix="correct it"
        )
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(str(folder))
    missing = _missing(module)
    if missing:
        del sys.modules[name]
        raise NotFoundError(
            f"{folder / _FILE} depends on {', '.join(missing)}",
            expected="its dependencies to be installed",
            fix=f"python -m pip install {' '.join(missing)}",
        )
    return module


def _entries(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_")
    }


def _entry(module: ModuleType, model: str) -> Callable[..., Any]:
    entries = _entries(module)
    if not isinstance(model, str) or model not in entries:
        raise NotFoundError(
            f"no entry point {model!r} in {module.__file__}",
            expected="one of " + ", ".join(entries),
            fix="see proa.hub.list(folder, source='local')",
        )
    return entries[model]


def list(repo_dir: str, source: str = "github", force_reload: bool = False) -> builtins.list[str]:
    """Names of the entry points of a `hubconf.py`.

    Args:
        repo_dir: the folder.
        source: `"local"`; the names of network hosts are refused.
        force_reload: run the file anew, even if it ran before.

    Raises:
        UnsupportedError: a network source.
        InvalidArgumentError: an unknown source.
        NotFoundError: no `hubconf.py`, or a dependency of it is not installed.

    Examples:
        >>> import pathlib, tempfile, proa
        >>> folder = tempfile.mkdtemp()
        >>> code = "def double(x):" + chr(10) + "    return 2 * x" + chr(10)
        >>> _ = pathlib.Path(folder, "hubconf.py").write_text(code)
        >>> proa.hub.list(folder, source="local")
        ['double']
        >>> proa.hub.load(folder, "double", source="local", x=4)
        8
    """
    return [*_entries(_configuration(repo_dir, source, force_reload))]


def help(
    repo_dir: str, model: str, source: str = "github", force_reload: bool = False
) -> str | None:
    """The documentation of an entry point.

    Args:
        repo_dir: the folder.
        model: name of the entry point.
        source: `"local"`; the names of network hosts are refused.
        force_reload: run the file anew, even if it ran before.

    Raises:
        UnsupportedError: a network source.
        InvalidArgumentError: an unknown source.
        NotFoundError: no `hubconf.py` or no such entry point.
    """
    return _entry(_configuration(repo_dir, source, force_reload), model).__doc__


def load(
    repo_dir: str, model: str, source: str = "github", force_reload: bool = False, **kwargs: Any
) -> Any:
    """Calls an entry point of a `hubconf.py`.

    Args:
        repo_dir: the folder. Its `hubconf.py` is run: use folders that you trust.
        model: name of the entry point.
        source: `"local"`; the names of network hosts are refused.
        force_reload: run the file anew, even if it ran before.
        kwargs: arguments of the entry point.

    Returns:
        What the entry point returns, as a rule a model.

    Raises:
        UnsupportedError: a network source.
        InvalidArgumentError: an unknown source.
        NotFoundError: no `hubconf.py` or no such entry point.
    """
    return _entry(_configuration(repo_dir, source, force_reload), model)(**kwargs)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    check_hash: bool = False,
    file_name: str | None = None,
    map_location: Any = None,
) -> Any:
    """Loads weights from the local copy of a file.

    Args:
        url: address of the file; only its last part is used, to name the copy.
        model_dir: folder of the copy; `None` for `hub/checkpoints` in `PROA_HOME`, by default
            `~/.cache/proa`.
        check_hash: compare the copy with the digits in its name: `name-<sha256 digits>.ext`.
        file_name: name of the copy, if another one.
        map_location: kept for Paddle's signature; tensors come to the current device.

    Returns:
        The state dict.

    Raises:
        NotFoundError: no copy; nothing is downloaded.
        InvalidArgumentError: `check_hash` and a name without digits.
        ArtifactError: a copy with other digits.
    """
    home = Path(os.environ.get("PROA_HOME", "~/.cache/proa")).expanduser()
    folder = home / "hub" / "checkpoints" if model_dir is None else Path(model_dir)
    path = folder / (file_name or Path(urlparse(url).path).name)
    if not path.is_file():
        raise NotFoundError(
            f"no copy of {url!r} at {str(path)!r}",
            expected="the file itself: Proa downloads nothing",
            fix="get the file and put it there, or name its folder with model_dir=",
        )
    if check_hash:
        _check_digest(path)
    return load_file(str(path))


def _check_digest(path: Path) -> None:
    digits = _DIGEST.search(path.name)
    if digits is None:
        raise InvalidArgumentError(
            f"the name {path.name!r} holds no digits of a hash",
            expected="name-<digits of its SHA-256>.ext",
            fix="pass check_hash=False, or rename the file",
        )
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if not found.startswith(digits.group(1)):
        raise ArtifactError(
            f"{str(path)!r} has SHA-256 {found[:16]}…",
            expected=f"{digits.group(1)}…, as its name says",
            fix="get the file again",
        )

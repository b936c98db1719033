"""Executables kept for the next process: of a predictor beside its model, of steps at home.

A file of machine code is a file that can do anything. So each file carries a MAC under a secret
of the user, which lies in the user's home and nowhere else; what does not carry it (a folder that
came with a downloaded model, a damaged file) is never opened further, but written anew.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import platform
import secrets
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import jax
import jaxlib
from jax.experimental import serialize_executable

from proa.core import NotWritableError, ProaError
from proa.framework import replace_file
from proa.native import describe_kernels, has_kernels
from proa.version import full_version

# Its attributes are made at run time.
_settings: Any = jax.config

_MAGIC = b"PROA-XLA\x01"
_MAC_LENGTH = 32
_SUFFIX = ".xla"


_ADVICE = (
    "the model is compiled anew. Delete the folder, or choose another with "
    "Config.set_cache(folder); Config.set_cache(None) keeps nothing."
)


class ExecutableStore:
    """Executables of one model in a folder; many processes may use it at once.

    Args:
        folders: where to keep them: the first that can be written to is taken.
        model: digest of the Programs that are compiled.
        limit: bytes that the folder may hold; the files not used for longest go first.
        device: the JAX device that is compiled for.
        advice: what a warning ends with.
    """

    def __init__(
        self, folders: Any, model: str, limit: int, device: Any, *, advice: str = _ADVICE
    ) -> None:
        self._advice = advice
        self._folders = [Path(folder) for folder in folders]
        self._limit, self._device = limit, device
        self._base = {"model": model, "device": str(device), **_environment(device.platform)}
        self._warned = False
        #: What was done: files read, files written, files refused.
        self.loaded = self.saved = self.refused = 0

    @property
    def folder(self) -> Path | None:
        """Where executables are kept; `None` when no folder could be written to."""
        return self._folders[0] if self._folders else None

    def path(self, signature: Any) -> Path | None:
        """Returns the file that a combination of input shapes is written to."""
        return next(iter(self._paths(signature)), None)

    def _paths(self, signature: Any) -> list[Path]:
        name = hashlib.sha256(self._header(signature)).hexdigest()[:32] + _SUFFIX
        return [folder / name for folder in self._folders]

    def _header(self, signature: Any) -> bytes:
        return json.dumps({**self._base, "shapes": signature}, sort_keys=True).encode()

    def load(self, signature: Any, structures: Any, ahead: Any = None) -> Any:
        """Returns the executable of a combination of input shapes, if it is there and ours.

        Args:
            signature: shapes of the inputs.
            structures: JAX's structures of the executable's arguments and results.
            ahead: called with a file and the header it must have; returns what was read of it.
        """
        if _secret() is None:
            return None
        for path in self._paths(signature):
            if ahead is not None and (loaded := ahead(path, self._header(signature))) is not None:
                self.loaded += 1
                touch(path)
                return loaded
            try:
                content = path.read_bytes()
            except OSError:
                continue
            return self._opened(path, content, signature, structures)
        return None

    def _opened(self, path: Path, content: bytes, signature: Any, structures: Any) -> Any:
        payload = self._verified(content, self._header(signature))
        if payload is None:
            self._warn(f"{str(path)!r} is damaged, or was written by somebody else")
            return None
        try:
            loaded = serialize_executable.deserialize_and_load(
                payload, *structures, execution_devices=[self._device]
            )
        except Exception as error:  # whatever XLA has against its own file: compiling helps
            self._warn(f"{str(path)!r} cannot be loaded ({error})"[:300])
            return None
        self.loaded += 1
        touch(path)
        return loaded

    @staticmethod
    def _verified(content: bytes, header: bytes) -> bytes | None:
        found = _split(content)
        return found[1] if found is not None and found[0] == header else None

    def save(self, signature: Any, executable: Any) -> None:
        """Writes an executable; where that is not possible it warns once and goes on."""
        secret = _secret()
        if secret is None or self.folder is None:
            return
        try:
            payload = serialize_executable.serialize(executable)[0]
        except Exception as error:  # some devices cannot: they compile anew
            self._warn(f"this executable cannot be written ({error})"[:300])
            return
        header = self._header(signature)
        body = _MAGIC + len(header).to_bytes(4, "little") + header + payload
        content = body + hmac.digest(secret, body, "sha256")
        while (path := self.path(signature)) is not None:
            try:
                with replace_file(path) as temporary:
                    temporary.write_bytes(content)
            except NotWritableError as error:
                self._folders.pop(0)
                if self.folder is None:
                    self._warn(error.got)
                continue
            self.saved += 1
            trim_folder(path, self._limit)
            return

    def refuse(self, signature: Any, error: Exception) -> None:
        """Is told that an executable was loaded and does not run."""
        self._warn(f"{str(self.path(signature))!r} does not run ({error})"[:300])

    def _warn(self, what: str) -> None:
        self.refused += 1
        if not self._warned:
            self._warned = True
            warnings.warn(f"{what}; {self._advice}", stacklevel=2)


def _split(content: bytes) -> tuple[bytes, bytes] | None:
    """Returns header and executable of a file; `None` for one without the user's MAC."""
    secret = _secret()
    body, mac = content[:-_MAC_LENGTH], content[-_MAC_LENGTH:]
    first = len(_MAGIC) + 4
    if secret is None or not body.startswith(_MAGIC) or len(body) < first:
        return None
    if not hmac.compare_digest(mac, hmac.digest(secret, body, "sha256")):
        return None
    end = first + int.from_bytes(body[len(_MAGIC) : first], "little")
    return body[first:end], body[end:]


def read_executable(path: Path, structures: Any, device: Any) -> tuple[bytes, Any] | None:
    """Returns the header of a file and its executable; `None` for a file that is not ours."""
    found = _split(path.read_bytes())
    if found is None:
        return None
    loaded = serialize_executable.deserialize_and_load(
        found[1], *structures, execution_devices=[device]
    )
    return found[0], loaded


def touch(path: Path) -> None:
    """Notes that a kept file was used."""
    try:
        os.utime(path)
    except OSError:
        return


def trim_folder(kept: Path, limit: int) -> None:
    """Removes what was not used for longest until a folder holds at most `limit` bytes.

    Args:
        kept: a file of the folder that stays.
        limit: bytes.
    """
    files = []
    for entry in os.scandir(kept.parent):
        # Another process may be removing files too.
        try:
            if entry.name.endswith((_SUFFIX, ".proa")):
                status = entry.stat()
                files.append((status.st_mtime_ns, status.st_size, entry.path))
        except OSError:
            continue
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            return
        if Path(path) != kept:
            Path(path).unlink(missing_ok=True)
            total -= size


def mac_of(text: str) -> str | None:
    """Returns the MAC of a text under the user's secret; `None` where there is no secret."""
    secret = _secret()
    return None if secret is None else hmac.new(secret, text.encode(), "sha256").hexdigest()


def home_folder() -> Path | None:
    """Returns the user's own cache folder, if the user has a home."""
    try:
        return Path.home() / ".cache" / "proa"
    except RuntimeError:
        return None


@lru_cache(maxsize=1)
def _secret() -> bytes | None:
    """The user's secret, made when it is missing; `None` where none can be kept."""
    folder = home_folder()
    if folder is None:
        return None
    try:
        return _read_secret(folder / "secret")
    except (OSError, ProaError) as error:
        warnings.warn(
            f"compiled models are not kept for the next start: {error}. It needs a file that "
            "only you can read.",
            stacklevel=2,
        )
        return None


def _read_secret(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        # Written apart and linked, so that of several processes one wins and all read the same.
        mine = path.with_name(f"secret.{os.getpid()}.{secrets.token_hex(4)}")
        handle = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(32))
            os.link(mine, path)
        except FileExistsError:
            pass
        finally:
            mine.unlink()
    status = path.stat()
    is_private = os.name != "posix" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)
    content = path.read_bytes()
    if not is_private or len(content) != 32:
        raise NotWritableError(
            f"{str(path)!r} is not a secret of this user alone",
            expected="32 bytes that only the user can read",
            fix="delete the file",
        )
    return content


def _environment(kind: str) -> dict[str, Any]:
    """What an executable depends on beside the model and its shapes."""
    return {
        "proa": full_version,
        "source": source_fingerprint(),
        "jax": jax.__version__,
        "jaxlib": jaxlib.version.__version__,
        "machine": machine_fingerprint(),
        "kind": kind,
        # Asking loads them, without which no executable that calls one could be loaded.
        "kernels": Path(describe_kernels()).name if has_kernels() else "",
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
        "precision": str(_settings.jax_default_matmul_precision),
    }


@lru_cache(maxsize=1)
def machine_fingerprint() -> str:
    """Returns a digest of what compiled code depends on: architecture, CPU features, cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts = [platform.system(), platform.machine(), str(cores)]
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        facts.append(platform.processor())
    else:
        wanted = ("flags", "Features", "model name", "CPU part")
        facts += sorted({line for line in lines if line.startswith(wanted)})
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def source_fingerprint() -> str:
    """Returns a digest of Proa's source files: what an op computes may change with them."""
    root = Path(__file__).resolve().parents[1]
    facts = []
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                place = f"{folder[len(str(root)) :]}/{name}"
                facts.append(f"{place} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()[:16]


def digest_of(facts: Mapping[str, Any]) -> str:
    """Returns a digest of plain data."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

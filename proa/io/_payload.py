"""What a worker process is given: the dataset and functions, and where to find their code.

The content is pickled once and shared: all workers map one nameless file, so an array in the
dataset lies in memory once, however many workers there are.

Code in the user's main script needs care. A worker imports the script's definitions under
another name, as `multiprocessing` does, so `if __name__ == "__main__":` keeps the rest out.
Scripts without that guard work as well: the worker stops before the statement in which the
script was when it started the workers.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import importlib
import io
import os
import pickle
import sys
import threading
import types
from typing import Any

from proa.core import InvalidTypeError, UnsupportedError

from ._transport import anonymous_file, dump, map_file, offsets, write_all

_ALIGNMENT = 64
_ONLY_HERE = ("JAX_PLATFORMS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class MainScriptStop(BaseException):
    """Ends a statement of the main script that would start work of its own in a worker."""


#: Whether this process is a worker that reads the definitions of the main script.
importing_main = False


class UnsendableJobError(InvalidTypeError):
    """What the workers would need is no object that another process can be given."""


def pack(job: dict[str, Any]) -> int:
    """Writes the parts of a job to a nameless file and returns its descriptor.

    Args:
        job: `dataset`, `collate_fn`, `worker_init_fn` and plain settings.

    Raises:
        InvalidTypeError: a part cannot be pickled; it is named.
        UnsupportedError: a part is defined in an interactive session.
    """
    try:
        data, buffers = dump(job)
    except Exception as error:
        raise _unpicklable(job, error) from error
    main = _main_script() if b"__main__" in data else None
    header = {
        "path": [os.path.abspath(entry) if entry == "" else entry for entry in sys.path],
        "arguments": list(sys.argv),
        "folder": os.getcwd(),
        "environment": {k: v for k, v in os.environ.items() if k not in _ONLY_HERE},
        "alias": _has_alias(),
        "main": main,
        "sizes": [buffer.nbytes for buffer in buffers],
        "data": data,
    }
    head = pickle.dumps(header, protocol=5)

    def write(descriptor: int) -> None:
        write_all(descriptor, len(head).to_bytes(8, "little") + head, 0)
        start = _start_of_buffers(len(head))
        for offset, buffer in zip(offsets(buffers), buffers, strict=True):
            write_all(descriptor, buffer, start + offset)

    return anonymous_file(write)


def unpack(descriptor: int) -> dict[str, Any]:
    """Reads a job in a worker, after making its code importable."""
    length = int.from_bytes(os.pread(descriptor, 8, 0), "little")
    header = pickle.loads(_read_all(descriptor, length, 8))
    sys.path[:] = header["path"]
    sys.argv[:] = header["arguments"]
    os.environ.update(header["environment"])
    with contextlib.suppress(OSError):
        os.chdir(header["folder"])
    if header["alias"]:
        importlib.import_module("proa.compat").install()
    failure = _import_main(*header["main"]) if header["main"] else None
    sizes, start = header["sizes"], _start_of_buffers(length)
    buffers = map_file(descriptor, sizes, start) if sizes else []
    try:
        return pickle.loads(header["data"], buffers=buffers)
    except Exception as error:
        # The script's own failure is the reason why a definition is missing.
        raise error from failure


def _start_of_buffers(head: int) -> int:
    return -(-(8 + head) // _ALIGNMENT) * _ALIGNMENT


def _read_all(descriptor: int, length: int, offset: int) -> bytes:
    parts = []
    while length:
        part = os.pread(descriptor, length, offset)
        parts.append(part)
        length, offset = length - len(part), offset + len(part)
    return b"".join(parts)


def _has_alias() -> bool:
    aliased = sys.modules.get("paddle")
    return getattr(aliased, "__name__", "").split(".")[0] == "proa" or any(
        type(finder).__module__.startswith("proa.compat") for finder in sys.meta_path
    )


def _unpicklable(job: dict[str, Any], error: Exception) -> InvalidTypeError:
    described = "the job of the workers"
    for name, part in job.items():
        if _fails(part):
            described = f"`{name}` ({_name_of(part)})"
            for field, value in getattr(part, "__dict__", {}).items():
                if _fails(value):
                    described = f"attribute `{field}` ({_name_of(value)}) of {described}"
                    break
            break
    return UnsendableJobError(
        f"{described} cannot be sent to worker processes: {type(error).__name__}: {error}",
        expected="objects that pickle takes: functions and classes defined at the top level of a "
        "module, no lambdas, open files or locks",
        fix="define it at the top level of a module (open files on first use in __getitem__), or "
        "read in the main process with num_workers=0",
    )


def _fails(part: Any) -> bool:
    try:
        dump(part)
    except Exception:
        return True
    return False


def _name_of(part: Any) -> str:
    name = getattr(part, "__qualname__", None)
    return f"function {name}" if name else f"class {type(part).__qualname__}"


def _main_script() -> tuple[str, str | None, int | None]:
    """Path and package of the main script, and the line that it executes, if it is at one."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    if not path or not os.path.isfile(path):
        raise UnsupportedError(
            "the dataset, or a function of the loader, is defined in an interactive session",
            expected="definitions in a file, which worker processes can import",
            fix="move them to a module and import it, or read in the main process with "
            "num_workers=0",
        )
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    line = None
    while frame is not None:
        if frame.f_globals is vars(main) and frame.f_code.co_name == "<module>":
            line = frame.f_lineno
        frame = frame.f_back
    return os.path.abspath(path), getattr(main, "__package__", None), line


def _import_main(path: str, package: str | None, line: int | None) -> BaseException | None:
    """Executes the main script under another name, up to `line`; returns what it raised."""
    module = types.ModuleType("__mp_main__")
    module.__file__, module.__package__ = path, package
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    global importing_main
    importing_main = True
    try:
        # What the script prints was printed by the main process already.
        with contextlib.redirect_stdout(io.StringIO()):
            return _execute(tree, path, vars(module), line)
    finally:
        importing_main = False


def _execute(
    tree: ast.Module, path: str, namespace: dict[str, Any], line: int | None
) -> BaseException | None:
    flags, stopped, failure = _future_flags(tree), False, None
    for statement in tree.body:
        if line is not None and (statement.end_lineno or 0) >= line:
            break
        code = compile(ast.Module([statement], []), path, "exec", flags, True)
        try:
            exec(code, namespace)
        except MainScriptStop:
            stopped = True
        except (Exception, SystemExit) as error:
            failure = failure or error
            # After a statement that was stopped, others may miss its result; definitions do not.
            if not stopped:
                break
    return failure


def _future_flags(tree: ast.Module) -> int:
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    return flags

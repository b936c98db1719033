"""`python -m proa.compat script.py ARGS`: an unmodified Paddle script, run on Proa."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from proa.core import NotFoundError

from ._alias import install

USAGE = """usage: python -m proa.compat SCRIPT [ARGUMENTS...]
       python -m proa.compat -m MODULE [ARGUMENTS...]

Runs a Paddle script or module with Proa in Paddle's place."""
# A folder with a package `paddle` that installs the alias: processes that the script starts
# find it by PYTHONPATH.
_STUB = Path(__file__).parent / "stub"


def run_script(script: str | Path, arguments: Sequence[str] = ()) -> None:
    """Runs a Paddle script as `python SCRIPT ARGUMENTS` would, with Proa in Paddle's place.

    Processes that the script starts with this Python (data loader workers, launchers) have
    the alias too.

    Args:
        script: path of the script.
        arguments: what follows the script in `sys.argv`.

    Raises:
        NotFoundError: no such script.
        PreconditionError: the real Paddle has been imported already.

    Examples:
        >>> import pathlib, tempfile
        >>> import proa.compat
        >>> script = pathlib.Path(tempfile.mkdtemp()) / "script.py"
        >>> _ = script.write_text("import paddle, sys; print(paddle.__name__, sys.argv[1:])")
        >>> proa.compat.run_script(script, ["--epochs", "2"])
        proa ['--epochs', '2']
        >>> proa.compat.uninstall()
    """
    path = Path(script)
    if not path.exists():
        raise NotFoundError(
            f"no script at {str(path)!r}",
            expected="the path of a Python file",
            fix="check the path",
        )
    _prepare()
    sys.argv = [str(script), *arguments]
    # As `python SCRIPT` has it: beside the script are its own modules.
    sys.path.insert(0, str(path.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")


def run_module(module: str, arguments: Sequence[str] = ()) -> None:
    """Runs a module as `python -m MODULE ARGUMENTS` would, with Proa in Paddle's place.

    Args:
        module: dotted name of the module.
        arguments: what follows the module in `sys.argv`.

    Raises:
        ImportError: no such module.
        PreconditionError: the real Paddle has been imported already.
    """
    _prepare()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _prepare() -> None:
    install()
    found = os.environ.get("PYTHONPATH", "")
    if str(_STUB) not in found.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_STUB), found]))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code when nothing was run."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if given[:1] == ["-m"] and len(given) > 1:
        run_module(given[1], given[2:])
        return 0
    if not given or given[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    if not Path(given[0]).exists():
        print(f"proa.compat: no script at {given[0]!r}\n\n{USAGE}", file=sys.stderr)
        return 2
    run_script(given[0], given[1:])
    return 0

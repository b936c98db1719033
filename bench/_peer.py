"""The parent's end of a contestant's process, and where the interpreters are."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: Peer -> variable that names its interpreter; the others run in Proa's own environment.
VARIABLES = {
    "torch": "PROA_BENCH_TORCH",
    "paddle": "PROA_BENCH_PADDLE",
    "keras": "PROA_BENCH_KERAS",
}


class PeerError(RuntimeError):
    """A contestant failed, ended or took too long."""


def interpreter(peer: str) -> str | None:
    """The interpreter of a peer: the one that is named, or the one that `make bench` made."""
    if peer not in VARIABLES:
        return sys.executable
    named = os.environ.get(VARIABLES[peer])
    if named:
        return named
    built = ROOT / ".bench" / peer / "bin" / "python"
    return str(built) if built.exists() else None


class Peer:
    """A process that makes contestants and runs them when told to."""

    def __init__(
        self, name: str, python: str, log: Any = None, *, environment: dict[str, str] | None = None
    ) -> None:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "GLOG_minloglevel": "3"}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        self.name, self.python, self.log = name, python, log
        self.process = subprocess.Popen(
            [python, "-m", "bench._child", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=ROOT,
            env={**env, **(environment or {})},
        )

    def ask(self, do: str, timeout: float = 300.0, **arguments: Any) -> dict[str, Any]:
        """Sends a request and waits for its answer."""
        stdin, stdout = self.process.stdin, self.process.stdout
        try:
            stdin.write(json.dumps({"do": do, **arguments}) + "\n")  # type: ignore[union-attr]
            stdin.flush()  # type: ignore[union-attr]
        except OSError as error:
            raise PeerError(f"{self.name} has ended; see the log") from error
        with selectors.DefaultSelector() as waiting:
            waiting.register(stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
            if not waiting.select(timeout):
                self.kill()
                raise PeerError(f"{self.name} took more than {timeout:.0f} s to {do}")
        line = stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise PeerError(f"{self.name} ended while it was to {do}; see the log")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(f"{self.name}: {answer['error']}")
        return answer

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def kill(self) -> None:
        """Ends the process at once."""
        self.process.kill()
        self._end(None)

    def close(self) -> None:
        """Lets the process end."""
        self._end(20.0)

    def _end(self, timeout: float | None) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()  # type: ignore[union-attr]
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

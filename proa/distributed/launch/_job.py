"""Starting several processes of one script, watching them, and ending them together."""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

#: Seconds between looks at the processes.
_LOOK = 0.1


def free_endpoints(count: int, host: str = "127.0.0.1") -> list[str]:
    """Returns addresses of ports that nobody uses at the moment."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((host, 0))
        return [f"{host}:{each.getsockname()[1]}" for each in sockets]


def worker_environment(
    rank: int, local_rank: int, world: int, master: str, endpoints: Sequence[str], secret: str
) -> dict[str, str]:
    """What a process of a job finds in its environment, in Paddle's names."""
    return {
        "PADDLE_TRAINER_ID": str(rank),
        "PADDLE_TRAINERS_NUM": str(world),
        "PADDLE_LOCAL_RANK": str(local_rank),
        "PADDLE_MASTER": master,
        "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints),
        "PADDLE_CURRENT_ENDPOINT": endpoints[rank] if endpoints else "",
        "PROA_JOB_SECRET": secret,
    }


class Job:
    """The processes of this machine.

    Args:
        command: what each of them runs.
        environments: one per process.
        logs: folder of one log per process; their output goes to the terminal without it.
        first: number of the first process among all.
        patience: seconds that they get to end by themselves before they are killed.
    """

    def __init__(
        self,
        command: Sequence[str],
        environments: Sequence[dict[str, str]],
        logs: Path | None = None,
        first: int = 0,
        patience: float = 10.0,
    ) -> None:
        self.first, self.logs, self.patience = first, logs, patience
        self._files: list[TextIO] = []
        self.processes = []
        if logs is not None:
            logs.mkdir(parents=True, exist_ok=True)
        for number, environment in enumerate(environments):
            target: Any = None
            if logs is not None:
                target = (logs / f"workerlog.{first + number}").open("w")
                self._files.append(target)
            self.processes.append(
                subprocess.Popen(
                    list(command),
                    env={**os.environ, **environment},
                    stdout=target,
                    stderr=subprocess.STDOUT if target else None,
                    start_new_session=True,
                )
            )

    def watch(self) -> int | None:
        """Waits until all have ended well, or one has not; returns the number of that one."""
        while True:
            codes = [process.poll() for process in self.processes]
            for number, code in enumerate(codes):
                if code:
                    return number
            if all(code == 0 for code in codes):
                return None
            time.sleep(_LOOK)

    def end(self) -> None:
        """Ends what still runs: asks first, and kills after a while."""
        self._signal(signal.SIGTERM)
        end = time.monotonic() + self.patience
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - time.monotonic()))
        self._signal(signal.SIGKILL)
        for process in self.processes:
            process.wait()
        for file in self._files:
            file.close()

    def _signal(self, number: int) -> None:
        for process in self.processes:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)

    def last_words(self, number: int, lines: int = 20) -> str:
        """The end of a process's log."""
        if self.logs is None:
            return ""
        text = (self.logs / f"workerlog.{self.first + number}").read_text(errors="replace")
        return "\n".join(text.splitlines()[-lines:])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="proa.distributed.launch",
        description="Starts a script in several processes that work together.",
    )
    parser.add_argument("--nproc_per_node", type=int, default=1, help="processes on this machine")
    parser.add_argument("--nnodes", type=int, default=1, help="machines")
    parser.add_argument("--rank", type=int, default=0, help="number of this machine")
    parser.add_argument("--master", default="", help="host:port where machines meet (the first)")
    parser.add_argument("--ips", default="", help="hosts of all machines, in order, with commas")
    parser.add_argument("--log_dir", default="log", help="folder of one log per process")
    parser.add_argument("--max_restart", type=int, default=0, help="new starts after a failure")
    parser.add_argument("--job_id", default="default", help="name that messages show")
    parser.add_argument("training_script", help="the script, or a module after -m")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    return parser


def _environments(options: argparse.Namespace) -> tuple[list[dict[str, str]], int]:
    each, machines = options.nproc_per_node, options.nnodes
    world, first = each * machines, each * options.rank
    if each < 1 or not 0 <= options.rank < machines:
        raise SystemExit(
            f"launch: machine {options.rank} of {machines} with {each} processes: "
            "give --nproc_per_node of 1 or more, and --rank below --nnodes"
        )
    if machines == 1:
        master, *endpoints = free_endpoints(world + 1)
        secret = secrets.token_hex(16)
    else:
        hosts = options.ips.split(",")
        if not options.master or len(hosts) != machines:
            raise SystemExit(
                f"launch: {machines} machines need --master host:port and --ips with "
                f"{machines} hosts"
            )
        master, port = options.master, int(options.master.rpartition(":")[2])
        endpoints = [f"{h}:{port + 1 + i}" for h in hosts for i in range(each)]
        secret = os.environ.get("PROA_JOB_SECRET", "")
        if not secret:
            raise SystemExit(
                "launch: several machines need the same PROA_JOB_SECRET in their environment: "
                "it keeps strangers from sending messages to the job"
            )
    made = [worker_environment(first + i, i, world, master, endpoints, secret) for i in range(each)]
    return made, first


def launch(arguments: Sequence[str] | None = None) -> int:
    """Runs `python -m proa.distributed.launch` with the given arguments.

    Args:
        arguments: `["--nproc_per_node", "2", "train.py", ...]`; the command line by default.

    Returns:
        0 where all processes ended well, the exit code of the first that did not otherwise.
    """
    options = _parser().parse_args(arguments)
    script = options.training_script
    command = [sys.executable, "-u", script, *options.training_script_args]
    logs = Path(options.log_dir)
    for start in range(options.max_restart + 1):
        environments, first = _environments(options)
        with _ended(Job(command, environments, logs, first)) as job:
            failed = job.watch()
            if failed is None:
                return 0
            code = job.processes[failed].returncode
            told = f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            print(
                f"launch: job {options.job_id}: process {first + failed} {told}; "
                f"its last lines ({logs / f'workerlog.{first + failed}'}):\n"
                f"{job.last_words(failed)}\n"
                f"launch: {options.max_restart - start} new starts left",
                file=sys.stderr,
            )
    return code if code > 0 else 128 - code


@contextlib.contextmanager
def _ended(job: Job) -> Iterator[Job]:
    """A block after which nothing runs, however it is left."""
    held = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    try:
        yield job
    finally:
        signal.signal(signal.SIGTERM, held)
        job.end()

"""Errors of reading data: a sample that fails, a worker process that dies or is too slow."""

from __future__ import annotations

from typing import Any

from proa.core import ProaError


class SampleError(ProaError, RuntimeError):
    """A sample could not be read, or samples could not be put together to a batch.

    The error that the dataset raised is its `__cause__`; when it happened in a worker process,
    the text of that process's traceback is part of the message.

    Args:
        got: what failed, with the sample and the class of the dataset.
        expected: what the dataset or the collate function should have done.
        fix: how to find the cause.
        keys: the indices of the samples concerned.
        worker: the number of the worker process; `None` for the main process.
        worker_traceback: the traceback text of the worker process.
    """

    def __init__(
        self,
        got: str,
        *,
        expected: str = "",
        fix: str = "",
        keys: tuple[Any, ...] = (),
        worker: int | None = None,
        worker_traceback: str = "",
    ) -> None:
        super().__init__(got, expected=expected, fix=fix)
        self.keys, self.worker, self.worker_traceback = keys, worker, worker_traceback

    def __str__(self) -> str:
        message = super().__str__()
        if not self.worker_traceback:
            return message
        return f"{message}\n\nTraceback of worker {self.worker}:\n{self.worker_traceback}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only arguments: the default of exceptions would rebuild it from `args` alone.
        return (_rebuild, (self.__class__, self.got, dict(vars(self))))


def _rebuild(cls: type[SampleError], got: str, state: dict[str, Any]) -> SampleError:
    error = cls(got, expected=state["expected"], fix=state["fix"])
    error.__dict__.update(state)
    return error


class WorkerError(ProaError, RuntimeError):
    """A worker process could not start or ended before its time."""


class WorkerTimeoutError(WorkerError, TimeoutError):
    """A worker process did not deliver a batch within `timeout` seconds."""

    __str__ = ProaError.__str__

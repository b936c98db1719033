"""Reading one batch: the samples, each with its randomness, put together. Same in all processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from proa.core import ProaError, aligned_empty

from ._collate import Allocate, collate, default_collate_fn
from ._dataset import Dataset, IterableDataset
from ._errors import SampleError
from ._random import digest, seed_globals

#: What a reader is doing; workers tell it, so that messages can name the sample.
STAGES = ("waiting for work", "starting", "reading", "collating", "sending")
WAITING, STARTING, READING, COLLATING, SENDING = range(len(STAGES))
_MOST_KEYS = 8

Progress = Callable[[int, int, int], None]


class Task(NamedTuple):
    """One batch to read."""

    #: Unique in the life of a pool; answers carry it.
    number: int
    #: Counts the iterations over the loader.
    run: int
    #: Number of the batch in its epoch.
    batch: int
    epoch: int
    seed: int
    #: Indices of the samples; `None` for a stream.
    keys: list[Any] | None = None
    #: How often each index came before in this epoch.
    repeats: tuple[int, ...] = ()
    #: Whether the samples are only to be passed over (streams).
    skip: bool = False
    #: Memory of earlier batches that the worker may use again.
    returned: tuple[str, ...] = ()


class EndOfStream(Exception):
    """A stream has no batch left."""


def make_reader(
    job: dict[str, Any], worker: int, progress: Progress, allocate: Allocate = aligned_empty
) -> Reader:
    """Returns the reader for the dataset of a job.

    Args:
        job: `dataset`, `collate_fn`, `batched`, `batch_size` and `drop_last` (streams).
        worker: number of the worker; 0 in the main process.
        progress: called with the stage, the number of the task and the position in the batch.
        allocate: makes the arrays that samples are stacked into.
    """
    kind = StreamReader if isinstance(job["dataset"], IterableDataset) else Reader
    return kind(job, worker, progress, allocate)


class Reader:
    """Reads batches of a dataset with an index."""

    def __init__(
        self, job: dict[str, Any], worker: int, progress: Progress, allocate: Allocate
    ) -> None:
        self._allocate = allocate
        self.dataset, self.collate_fn = job["dataset"], job["collate_fn"]
        self.batched, self.drop_last = job["batched"], job["drop_last"]
        self._wanted = job["batch_size"] or 1
        self.worker, self._progress, self.name = worker, progress, job["name"]
        #: Whether global randomness is to be seeded.
        self.draws = getattr(self.dataset, "_draws", True) or not self._collates_by_default

    @property
    def _collates_by_default(self) -> bool:
        return self.collate_fn is default_collate_fn

    def read(self, task: Task) -> Any:
        """Returns the batch of a task.

        Raises:
            SampleError: a sample cannot be read, or the batch not be put together.
            EndOfStream: the stream has ended.
        """
        samples = []
        keys = task.keys or []
        if (batch := self._gathered(keys)) is not None:
            return batch
        for position, key in enumerate(keys):
            self._progress(READING, task.number, position)
            if self.draws:
                state = digest(task.seed, task.epoch, key, task.repeats[position])
                seed_globals(state)
            try:
                samples.append(self.dataset[key])
            except Exception as error:
                raise self._failed_sample(key, f"dataset[{key!r}]", error) from error
        return self._put_together(samples, keys, task)

    def _gathered(self, keys: list[Any]) -> list[Any] | None:
        if not self.batched or not self._collates_by_default or not keys:
            return None
        if not isinstance(self.dataset, Dataset) or not all(type(key) is int for key in keys):
            return None
        try:
            return self.dataset._gather(keys)
        except Exception:
            # One by one, the sample that fails is found and named.
            return None

    def _failed_sample(self, key: Any, call: str, error: Exception) -> SampleError:
        name = self.name
        return SampleError(
            f"sample {key!r} of {name} could not be read: {type(error).__name__}: {error}",
            expected=f"{name} to return the sample",
            fix=f"see the traceback; {call} alone repeats it in the main process",
            keys=(key,),
        )

    def _put_together(self, samples: list[Any], keys: list[Any], task: Task) -> Any:
        self._progress(COLLATING, task.number, 0)
        try:
            if self.batched and self._collates_by_default:
                return self._collated(samples, keys, task)
            if self.draws:
                seed_globals(digest(task.seed, task.epoch, "batch", task.batch))
            return self.collate_fn(samples if self.batched else samples[0])
        except SampleError:
            raise
        except Exception as error:
            raise self._failed_batch(keys, task, error) from error

    def _collated(self, samples: list[Any], keys: list[Any], task: Task) -> Any:
        try:
            return collate(samples, keys, allocate=self._allocate)
        except ProaError as error:
            # The message says all; a traceback through the recursion would bury it.
            raise self._failed_batch(keys, task, error) from None

    def _failed_batch(self, keys: list[Any], task: Task, error: Exception) -> SampleError:
        shown = ", ".join(repr(key) for key in keys[:_MOST_KEYS])
        shown += ", ..." if len(keys) > _MOST_KEYS else ""
        function = getattr(self.collate_fn, "__qualname__", type(self.collate_fn).__name__)
        where = f"batch {task.batch} (samples {shown}) of {self.name}"
        if isinstance(error, ProaError):
            got, expected, fix = error.got, error.expected, error.fix
        else:
            got, expected = f"{type(error).__name__}: {error}", f"{function} to return the batch"
            fix = "see the traceback"
        return SampleError(
            f"{where} could not be put together by {function}: {got}",
            expected=expected,
            fix=fix,
            keys=tuple(keys),
        )


class StreamReader(Reader):
    """Reads batches of a stream, one after the other."""

    def __init__(
        self, job: dict[str, Any], worker: int, progress: Progress, allocate: Allocate
    ) -> None:
        super().__init__(job, worker, progress, allocate)
        self._run = -1
        self._iterator: Iterator[Any] | None = None
        self._position = 0

    def read(self, task: Task) -> Any:
        """Returns the next batch of the stream; `None` when it is only passed over."""
        if task.run != self._run:
            self._run, self._position = task.run, 0
            self._iterator = self._started(task)
        samples: list[Any] = []
        keys: list[Any] = []
        while self._iterator is not None and len(samples) < self._wanted:
            self._progress(READING, task.number, len(samples))
            seed_globals(digest(task.seed, task.epoch, "stream", self.worker, self._position))
            try:
                samples.append(next(self._iterator))
            except StopIteration:
                self._iterator = None
            except Exception as error:
                self._iterator = None
                raise self._failed_sample(self._position, "list(dataset)", error) from error
            else:
                keys.append(self._position)
                self._position += 1
        if not samples or (self.drop_last and len(samples) < self._wanted):
            raise EndOfStream
        return None if task.skip else self._put_together(samples, keys, task)

    def _started(self, task: Task) -> Iterator[Any]:
        seed_globals(digest(task.seed, task.epoch, "stream", self.worker, "start"))
        try:
            return iter(self.dataset)
        except Exception as error:
            raise self._failed_sample(0, "iter(dataset)", error) from error

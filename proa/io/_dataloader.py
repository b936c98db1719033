"""DataLoader: batches of a dataset as Tensors, read here or in worker processes."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    Tensor,
    as_dtype,
    default_seed,
    tensor_over,
    to_tensor,
)

from . import _payload
from ._batch_sampler import BatchSampler, checked_batch_size, checked_flag, checked_length
from ._collate import default_collate_fn, default_convert_fn
from ._dataset import Dataset, IterableDataset
from ._errors import WorkerError
from ._fetch import EndOfStream, Task, make_reader
from ._launcher import MEMORY_FOLDER, launcher
from ._pool import WorkerPool, free_memory, in_order, streams_in_turn
from ._position import Position, read_position
from ._random import Repeats, preserved_globals
from ._sampler import checked_epoch, checked_sampler, draw
from ._slots import Recycled


@dataclass(frozen=True)
class _Plan:
    """One iteration over the loader."""

    run: int
    epoch: int
    seed: int
    skip: int


class DataLoader:
    """Iterates over a dataset in batches of Tensors.

    Each iteration over it is an epoch. Shuffling and everything random in a sample depend on
    the run's seed (`proa.seed`), the epoch and the index of the sample, so the values are the
    same for any number of workers, and `state_dict` is enough to go on in the middle of an
    epoch with exactly the next batch.

    Args:
        dataset: a `Dataset`, an `IterableDataset`, or any object with `__getitem__`.
        feed_list: with `return_list=False` the names (or objects with a `name`) under which the
            fields of a batch are returned.
        places: where the Tensors lie, a place or a list with one; `None` for the current device.
        return_list: `False` to return `[{name: Tensor}]` for the names of `feed_list`.
        batch_sampler: yields the list of indices of each batch; in place of `batch_size`,
            `shuffle` and `drop_last`.
        batch_size: samples in a batch; `None` for single samples without a batch axis.
        shuffle: whether the order is random, another one in each epoch.
        drop_last: whether a last batch with fewer samples is left out.
        collate_fn: from a list of samples to a batch; `default_collate_fn` by default, and
            `default_convert_fn` (of one sample) for `batch_size=None`.
        num_workers: processes that read; 0 reads in this one. So does, with a warning, a loader
            whose dataset or functions cannot be sent to another process.
        use_buffer_reader: accepted; copies to a device never wait here.
        reader_buffer_size: accepted; see `prefetch_factor`.
        prefetch_factor: batches read ahead by each worker.
        use_shared_memory: whether big arrays come from workers through shared memory; without
            room there they come through pipes, with one warning.
        timeout: seconds that a worker may take for a batch; 0 for any time.
        worker_init_fn: called in each worker with its number, before it reads.
        persistent_workers: whether the workers, with their copies of the dataset, are kept for
            the next epoch; else they end with it.

    Raises:
        InvalidArgumentError: a number out of range, or arguments that exclude each other.
        InvalidTypeError: an argument of the wrong type, a dataset that cannot be read, has no
            length where one is needed.

    Iteration raises `SampleError` for a sample that fails, with its index, and `WorkerError` for
    a worker that dies or is too slow. After that the workers are gone, the loader can be used
    again.

    Examples:
        >>> import numpy
        >>> import proa.io
        >>> class Pairs(proa.io.Dataset):
        ...     def __getitem__(self, index):
        ...         return numpy.full(3, index, "float32"), index % 2
        ...     def __len__(self):
        ...         return 5
        >>> loader = proa.io.DataLoader(Pairs(), batch_size=2)
        >>> len(loader), [(x.shape, y.tolist()) for x, y in loader]
        (3, [([2, 3], [0, 1]), ([2, 3], [0, 1]), ([1, 3], [0])])
    """

    def __init__(
        self,
        dataset: Any,
        feed_list: Any = None,
        places: Any = None,
        return_list: bool = True,
        batch_sampler: Any = None,
        batch_size: int | None = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        reader_buffer_size: int = 2,
        prefetch_factor: int = 2,
        use_shared_memory: bool = True,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        persistent_workers: bool = False,
    ) -> None:
        self.dataset = _checked_dataset(dataset)
        self.feed_list, self.places, self.return_list = feed_list, places, return_list
        self.use_buffer_reader, self.reader_buffer_size = use_buffer_reader, reader_buffer_size
        self.num_workers = _checked_count("num_workers", num_workers, 0)
        self.prefetch_factor = _checked_count("prefetch_factor", prefetch_factor, 1)
        self.timeout = _checked_timeout(timeout)
        self.use_shared_memory = checked_flag(use_shared_memory, "use_shared_memory")
        self.persistent_workers = checked_flag(persistent_workers, "persistent_workers")
        self.worker_init_fn = _checked_function("worker_init_fn", worker_init_fn)
        self.drop_last = checked_flag(drop_last, "drop_last")
        self._streams = isinstance(dataset, IterableDataset)
        self._choose_batches(batch_sampler, batch_size, checked_flag(shuffle, "shuffle"))
        default = default_collate_fn if self.auto_collate_batch else default_convert_fn
        self.collate_fn = _checked_function("collate_fn", collate_fn) or default
        self._runs = itertools.count()
        self._next_epoch = 0
        self._seed: int | None = None
        self._resumed: Position | None = None
        self._at = (0, 0)
        self._pool: WorkerPool | None = None
        self._pool_run = -1
        self._can_send = True
        # An object of its own: the pool refers to it, and must not keep the loader alive.
        self._on_overflow = _OverflowWarning(self.num_workers * (self.prefetch_factor + 1))
        if self.num_workers and not _payload.importing_main:
            # Its start takes about as long as `import proa`; it goes on beside what follows.
            launcher()

    def _choose_batches(self, batch_sampler: Any, batch_size: Any, shuffle: bool) -> None:
        given = [
            text
            for text, used in (
                (f"batch_size={batch_size!r}", batch_size != 1),
                ("shuffle=True", shuffle),
                ("drop_last=True", self.drop_last),
            )
            if used
        ]
        if batch_sampler is not None and given:
            raise InvalidArgumentError(
                f"DataLoader was given a batch_sampler together with {', '.join(given)}",
                expected="either a batch_sampler, or batch_size, shuffle and drop_last",
                fix="pass them to the batch sampler: BatchSampler(dataset, batch_size=...)",
            )
        if self._streams and (batch_sampler is not None or shuffle):
            what = "shuffle=True" if shuffle else "a batch_sampler"
            raise InvalidArgumentError(
                f"DataLoader was given {what} for an IterableDataset",
                expected="neither: a stream has an order of its own",
                fix="shuffle in its __iter__, with proa.io.sample_rng() or a buffer",
            )
        size = 1 if batch_size is None else checked_batch_size(batch_size)
        self.batch_size = None if batch_sampler is not None else batch_size
        if batch_sampler is not None:
            self.batch_sampler = checked_sampler(batch_sampler, "batch_sampler")
        elif self._streams:
            self.batch_sampler = None
        else:
            checked_length(self.dataset)
            self.batch_sampler = BatchSampler(
                self.dataset,
                shuffle=shuffle,
                batch_size=size,
                drop_last=self.drop_last,
            )
        self.auto_collate_batch = batch_sampler is not None or batch_size is not None

    def __len__(self) -> int:
        if self._streams:
            # A TypeError, so that list(loader) takes it without a hint of its length.
            raise InvalidTypeError(
                f"a DataLoader over {type(self.dataset).__name__} has no length",
                expected="iteration: the length of an IterableDataset is not known",
                fix="count the batches while iterating",
            )
        return len(self.batch_sampler)  # type: ignore[arg-type]

    def __call__(self) -> Iterator[Any]:
        return iter(self)

    def __iter__(self) -> Iterator[Any]:
        if _payload.importing_main:
            raise _payload.MainScriptStop
        plan = self._make_plan()
        self._at = (plan.epoch, plan.skip)
        return self._delivered(plan, self._read(plan))

    def _read(self, plan: _Plan) -> Iterator[Any]:
        if not self.num_workers or not self._can_send:
            return self._read_here(plan)
        try:
            return self._read_in_workers(plan)
        except _payload.UnsendableJobError as error:
            # A dataset of a notebook or a function: slower here is better than not at all.
            self._can_send = False
            warnings.warn(
                f"{error}\n  Until then this loader reads in the main process.", stacklevel=4
            )
            return self._read_here(plan)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next iteration; each iteration counts it up by itself.

        Args:
            epoch: integer, 0 for the first.

        Raises:
            InvalidArgumentError: not a non-negative integer.
        """
        self._next_epoch, self._resumed = checked_epoch(epoch), None
        self._at = (self._next_epoch, 0)
        if callable(setter := getattr(self.batch_sampler, "set_epoch", None)):
            setter(self._next_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Returns the position in the data, to go on from later: a dict that JSON can hold.

        After the last batch of an epoch, and before the loop over it has ended, the position is
        that end; a loop that goes on from there has no batch in this epoch.

        Returns:
            `epoch`, `batches` (handed out in it), `seed`, the sizes `dataset_length` and
            `epoch_batches`, and `version`.

        Examples:
            >>> import json
            >>> import proa.io
            >>> loader = proa.io.DataLoader(range(6), batch_size=2, shuffle=True)
            >>> batches = iter(loader)
            >>> first, state = next(batches), json.dumps(loader.state_dict())
            >>> rest = [batch.tolist() for batch in batches]
            >>> again = proa.io.DataLoader(range(6), batch_size=2, shuffle=True)
            >>> again.load_state_dict(json.loads(state))
            >>> [batch.tolist() for batch in again] == rest
            True
        """
        return self._position().as_state()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Lets the next iteration go on at a position from `state_dict`.

        The samples before it are not read (those of an `IterableDataset` are, to pass over
        them). The seed of the state is used from now on in place of the run's.

        Args:
            state_dict: what `state_dict` returned, for the same dataset and batch size.

        Raises:
            InvalidTypeError: not a dict.
            InvalidArgumentError: it is damaged, or belongs to another dataset or batch size.
        """
        position = read_position(state_dict, self._position())
        self.set_epoch(position.epoch)
        self._seed, self._resumed = position.seed, position
        self._at = (position.epoch, position.batches)

    def _position(self) -> Position:
        return Position(
            *self._at, self._run_seed(), _length_of(self.dataset), _length_of(self.batch_sampler)
        )

    def _run_seed(self) -> int:
        return default_seed() if self._seed is None else self._seed

    def _make_plan(self) -> _Plan:
        requested = getattr(self.batch_sampler, "take_requested_epoch", lambda: None)()
        epoch = self._next_epoch if requested is None else requested
        resumed, self._resumed = self._resumed, None
        skip = resumed.batches if resumed is not None and resumed.epoch == epoch else 0
        self._next_epoch = epoch + 1
        return _Plan(next(self._runs), epoch, self._run_seed(), skip)

    def _delivered(self, plan: _Plan, batches: Iterator[Any]) -> Iterator[Any]:
        owned = self.num_workers > 0 or self.collate_fn is default_collate_fn
        for count, batch in enumerate(batches, plan.skip + 1):
            tensors = self._as_tensors(batch, owned)
            self._at = (plan.epoch, count)
            yield self._named(tensors)
        self._at = (plan.epoch + 1, 0)

    def _as_tensors(self, batch: Any, owned: bool) -> Any:
        if isinstance(batch, np.ndarray):
            return self._to_tensor(batch, owned)
        if isinstance(batch, dict):
            return {name: self._as_tensors(value, owned) for name, value in batch.items()}
        if isinstance(batch, list | tuple):
            return [self._as_tensors(value, owned) for value in batch]
        return batch

    def _to_tensor(self, array: np.ndarray, owned: bool) -> Any:
        if not _is_numeric(array.dtype):
            return array
        places = self.places
        place = places[0] if isinstance(places, list | tuple) and places else places or None
        # What nobody else can write to, the Tensor may lie on.
        return (tensor_over if owned else to_tensor)(array, place=place)

    def _named(self, batch: Any) -> Any:
        if self.return_list or not self.feed_list:
            return batch
        names = [getattr(item, "name", item) for item in self.feed_list]
        fields = batch if isinstance(batch, list) else [batch]
        if len(names) != len(fields):
            raise InvalidArgumentError(
                f"`feed_list` has {len(names)} names and a batch {len(fields)} fields",
                expected="one name per field",
                fix="pass the names in the order of the fields that __getitem__ returns",
            )
        return [dict(zip(names, fields, strict=True))]

    def _tasks(self, plan: _Plan) -> Iterator[Task]:
        template = Task(0, plan.run, 0, plan.epoch, plan.seed)
        if self._streams:
            for number in itertools.count():
                yield template._replace(batch=number, skip=number < plan.skip)
        repeats = Repeats(_length_of(self.dataset) or 0)
        for number, keys in enumerate(draw(self.batch_sampler, plan.seed, plan.epoch)):
            keys = _checked_keys(keys, self.batch_sampler)
            counts = repeats.count(keys)
            if number >= plan.skip:
                yield template._replace(batch=number, keys=keys, repeats=counts)

    def _job(self) -> dict[str, Any]:
        dataset = self.dataset
        return {
            "name": type(dataset).__name__,
            "dataset": dataset._on_host() if isinstance(dataset, Dataset) else dataset,
            "collate_fn": self.collate_fn,
            "worker_init_fn": self.worker_init_fn,
            "batch_size": self.batch_size if self._streams else None,
            "batched": self.auto_collate_batch,
            "drop_last": self.drop_last,
        }

    def _read_here(self, plan: _Plan) -> Iterator[Any]:
        reader = make_reader(self._job(), 0, lambda *_: None, Recycled().empty)
        for task in self._tasks(plan):
            with preserved_globals() if reader.draws else nullcontext():
                try:
                    batch = reader.read(task)
                except EndOfStream:
                    return
            if not task.skip:
                yield batch

    def _read_in_workers(self, plan: _Plan) -> Iterator[Any]:
        """Starts the workers now, and the tasks with the first batch that is asked for."""
        pool = self._pool
        if pool is None:
            pool = WorkerPool(
                self._job(),
                num_workers=self.num_workers,
                prefetch=self.prefetch_factor,
                seed=plan.seed,
                epoch=plan.epoch,
                timeout=self.timeout,
                shared_memory=self.use_shared_memory,
                on_overflow=self._on_overflow,
            )
        if self.persistent_workers:
            self._pool, self._pool_run = pool, plan.run
            pool.cancel(plan.run)
        if self._streams:
            template = Task(0, plan.run, 0, plan.epoch, plan.seed)
            batches = streams_in_turn(pool, template, plan.skip)
        else:
            batches = in_order(pool, self._tasks(plan))
        return self._guarded(plan, pool, batches)

    def _guarded(self, plan: _Plan, pool: WorkerPool, batches: Iterator[Any]) -> Iterator[Any]:
        try:
            for batch in batches:
                yield batch
                if self.persistent_workers and self._pool_run != plan.run:
                    raise PreconditionError(
                        "an earlier iteration over a DataLoader goes on after a newer one began",
                        expected="one iteration at a time with persistent_workers=True",
                        fix="finish or drop the first loop, or use persistent_workers=False",
                    )
        except WorkerError:
            self._pool = None
            pool.close()
            raise
        finally:
            if not self.persistent_workers:
                pool.close()
            elif self._pool_run == plan.run:
                pool.cancel(plan.run + 1)


class _OverflowWarning:
    """Warns once that shared memory has no room for the batches of a loader."""

    def __init__(self, batches: int) -> None:
        self._batches, self._warned = batches, False

    def __call__(self, size: int) -> None:
        if self._warned:
            return
        self._warned = True
        warnings.warn(
            f"{MEMORY_FOLDER} has {free_memory(MEMORY_FOLDER) / 2**20:.1f} MiB free, too few for "
            f"{self._batches} batches of {size / 2**20:.1f} MiB: batches come through pipes, which "
            "is slower. Give it more room (docker run --shm-size=8g), use fewer workers, or pass "
            "use_shared_memory=False.",
            RuntimeWarning,
            # Past the pool and the generators, to the user's loop.
            stacklevel=8,
        )


def _checked_dataset(dataset: Any) -> Any:
    if isinstance(dataset, type) or not hasattr(dataset, "__getitem__"):
        what = (
            f"the class {dataset.__name__}"
            if isinstance(dataset, type)
            else (f"of class {type(dataset).__name__}")
        )
        raise InvalidTypeError(
            f"`dataset` is {what}",
            expected="an instance of Dataset or IterableDataset, or an object with __getitem__",
            fix="derive the class from proa.io.Dataset, and pass an instance",
        )
    return dataset


def _checked_count(name: str, value: Any, least: int) -> int:
    integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not integer or value < least:
        raise InvalidArgumentError(
            f"`{name}` is {value!r}",
            expected=f"an integer >= {least}",
            fix=f"pass for example {name}={max(least, 2)}",
        )
    return int(value)


def _checked_timeout(timeout: Any) -> float:
    number = isinstance(timeout, int | float | np.number) and not isinstance(timeout, bool)
    if not number or not timeout >= 0:
        raise InvalidArgumentError(
            f"`timeout` is {timeout!r}",
            expected="a number of seconds >= 0",
            fix="pass for example timeout=60, or 0 to wait for any time",
        )
    return float(timeout)


def _checked_function(name: str, function: Any) -> Any:
    if function is not None and not callable(function):
        raise InvalidTypeError(
            f"`{name}` is a {type(function).__name__}",
            expected="a function or None",
            fix="pass the function itself, without calling it",
        )
    return function


def _checked_keys(keys: Any, batch_sampler: Any) -> list[Any]:
    if not isinstance(keys, list | tuple | np.ndarray):
        raise InvalidTypeError(
            f"the batch sampler of class {type(batch_sampler).__name__} yielded {keys!r}",
            expected="a list of the indices of one batch",
            fix="wrap an ordinary sampler: BatchSampler(sampler=..., batch_size=...)",
        )
    indices = keys.tolist() if isinstance(keys, np.ndarray) else keys
    return [int(key) if isinstance(key, np.integer | Tensor) else key for key in indices]


def _length_of(sized: Any) -> int | None:
    try:
        return len(sized)
    except (TypeError, NotImplementedError):
        return None


_numeric: dict[np.dtype, bool] = {}


def _is_numeric(dtype: np.dtype) -> bool:
    if dtype not in _numeric:
        try:
            as_dtype(dtype)
        except (InvalidTypeError, InvalidArgumentError):
            _numeric[dtype] = False
        else:
            _numeric[dtype] = True
    return _numeric[dtype]

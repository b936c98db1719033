from __future__ import annotations

import numpy as np
import pytest

from proa.io import SampleError, TensorDataset, default_collate_fn, default_convert_fn
from proa.io._fetch import EndOfStream, Reader, StreamReader, Task, make_reader
from proa.io._random import preserved_globals
from tests.io.samples import Faulty, Numbers, Stream


@pytest.fixture(autouse=True)
def _globals_left_alone():
    with preserved_globals():
        yield


TASK = Task(0, 0, 3, epoch=1, seed=7, keys=[4, 5], repeats=(0, 0))


def reader_of(dataset, **changes):
    steps = []
    job = {
        "name": type(dataset).__name__,
        "dataset": dataset,
        "collate_fn": default_collate_fn,
        "batched": True,
        "batch_size": 2,
        "drop_last": False,
    }
    return make_reader({**job, **changes}, 0, lambda *step: steps.append(step)), steps


def test_progress_names_the_sample():
    reader, steps = reader_of(Numbers())
    reader.read(TASK)
    assert type(reader) is Reader
    assert steps == [(2, 0, 0), (2, 0, 1), (3, 0, 0)]


def test_values_depend_on_the_task_alone():
    def drawn(task):
        return reader_of(Numbers())[0].read(task)[1]

    pair = drawn(TASK)
    alone = drawn(TASK._replace(keys=[5], repeats=(0,), batch=9, number=4, run=6))
    np.testing.assert_array_equal(pair[1], alone[0])
    for change in ({"seed": 8}, {"epoch": 2}, {"repeats": (1, 1)}):
        assert (drawn(TASK._replace(**change)) != pair).all()


def test_a_collate_function_has_the_randomness_of_its_batch():
    def draw(samples):
        return np.random.rand()

    reader, _ = reader_of(TensorDataset([np.arange(9)])._on_host(), collate_fn=draw)
    assert reader.draws
    value = reader.read(TASK)
    assert reader.read(TASK) == value
    assert reader.read(TASK._replace(batch=4)) != value


def test_arrays_are_read_at_once_and_a_bad_index_is_named():
    reader, steps = reader_of(TensorDataset([np.arange(9)])._on_host(), name="TensorDataset")
    assert not reader.draws
    assert reader.read(TASK)[0].tolist() == [4, 5]
    assert steps == []
    with pytest.raises(SampleError, match="sample 9 of TensorDataset could not be read: IndexE"):
        reader.read(TASK._replace(keys=[4, 9]))


@pytest.mark.parametrize(
    ("way", "keys", "text", "cause"),
    [
        (
            "raise",
            (5,),
            "sample 5 of Faulty could not be read: KeyError: 'no file 5.png'",
            KeyError,
        ),
        (
            "ragged",
            (4, 5),
            r"batch 3 \(samples 4, 5\) of Faulty could not be put together by default_collate_fn: "
            r"field \[0\] has shape \[2\] in sample 4 and shape \[3\] in sample 5",
            type(None),
        ),
    ],
)
def test_a_failure_names_the_sample(way, keys, text, cause):
    with pytest.raises(SampleError, match=f"(?s)^{text}.*Expected: .*Fix: ") as caught:
        reader_of(Faulty(way))[0].read(TASK)
    assert caught.value.keys == keys
    assert isinstance(caught.value.__cause__, cause)


def test_a_failing_collate_function_is_named():
    def broken(samples):
        raise ZeroDivisionError("empty mask")

    reader, _ = reader_of(Numbers(20), collate_fn=broken)
    text = r"samples 0, 1, 2, 3, 4, 5, 6, 7, \.\.\.\) of Numbers .*broken: ZeroDivisionError: empty"
    with pytest.raises(SampleError, match=text):
        reader.read(TASK._replace(keys=list(range(12)), repeats=(0,) * 12))


def test_single_samples_are_converted():
    reader, _ = reader_of(Numbers(), collate_fn=default_convert_fn, batched=False)
    index, drawn = reader.read(TASK._replace(keys=[5], repeats=(0,)))
    assert (index, drawn.shape) == (5, (3,))


def read_all(reader, run=0, **changes):
    batches = []
    with pytest.raises(EndOfStream):
        while True:
            task = TASK._replace(run=run, batch=len(batches), keys=None, **changes)
            batches.append(reader.read(task))
    return [batch and batch[0].tolist() for batch in batches]


@pytest.mark.parametrize(
    ("drop_last", "batches"), [(False, [[0, 1], [2, 3], [4]]), (True, [[0, 1], [2, 3]])]
)
def test_streams_are_read_to_their_end(drop_last, batches):
    reader, _ = reader_of(Stream(5), drop_last=drop_last)
    assert type(reader) is StreamReader
    assert read_all(reader) == batches
    assert read_all(reader, run=1) == batches
    assert read_all(reader, run=2, skip=True) == [None] * len(batches)


def test_a_failing_stream_names_the_position():
    reader, _ = reader_of(Stream(5, fail_at=3))
    reader.read(TASK._replace(keys=None))
    with pytest.raises(SampleError, match="sample 3 of Stream .*ValueError: broken record"):
        reader.read(TASK._replace(keys=None))
    with pytest.raises(EndOfStream):
        reader.read(TASK._replace(keys=None))

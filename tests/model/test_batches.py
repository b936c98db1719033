from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.model._batches import (
    Splitter,
    flatten,
    make_loader,
    num_batches,
    num_samples,
    split_sizes,
)
from tests.model.toy import Points


def _one(x: Any) -> Any: ...
def _two(x: Any, y: Any) -> Any: ...
def _optional(x: Any, mask: Any = None) -> Any: ...
def _open(*xs: Any) -> Any: ...


_SPEC = proa.static.InputSpec([None, 3])


@pytest.mark.parametrize(
    ("forward", "inputs", "labels", "length", "has_labels", "expected"),
    [
        (_one, None, None, 2, True, (1, 1)),
        (_one, None, None, 3, True, (1, 2)),
        (_one, None, None, 2, False, (1, 0)),
        (_one, None, None, 1, True, (1, 0)),
        (_two, None, None, 3, True, (2, 1)),
        (_two, None, None, 2, False, (2, 0)),
        (_optional, None, None, 2, True, (1, 1)),
        (_optional, None, None, 3, True, (2, 1)),
        (_open, None, None, 4, True, (3, 1)),
        (_open, None, [_SPEC, _SPEC], 4, True, (2, 2)),
        (_optional, [_SPEC], None, 3, True, (1, 2)),
    ],
)
def test_a_batch_is_split_by_what_the_network_takes(
    forward: Any, inputs: Any, labels: Any, length: int, has_labels: bool, expected: Any
) -> None:
    parts = [np.full(2, i, "float32") for i in range(length)]
    split = Splitter(forward, inputs, labels).split(parts, has_labels=has_labels)
    assert (len(split[0]), len(split[1])) == expected
    values = [t.tolist()[0] for t in (*split[0], *split[1])]
    assert values == list(range(sum(expected)))


def test_predictions_take_what_training_took() -> None:
    splitter = Splitter(_optional, None, None)
    splitter.split([np.zeros(1), np.zeros(1)], has_labels=True)
    inputs, labels = splitter.split([np.zeros(1), np.zeros(1)], has_labels=False)
    assert (len(inputs), len(labels)) == (1, 0)


def test_a_dict_is_split_by_names() -> None:
    batch = {"label": np.ones(1), "y": np.full(1, 2.0), "x": np.full(1, 3.0)}
    inputs, labels = Splitter(_two, None, None).split(batch, has_labels=True)
    assert [t.item() for t in inputs] == [3.0, 2.0]
    assert [t.item() for t in labels] == [1.0]


def test_a_batch_with_too_few_parts_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="a batch has 1 part\n.*at least 2: .* x, y"):
        Splitter(_two, None, None).split([np.zeros(1)], has_labels=False)


def test_nested_parts_become_tensors_in_order() -> None:
    parts = flatten([np.array([1.0]), [2.0, {"a": np.array(3)}], proa.to_tensor([4.0]), None])
    assert [t.item() for t in parts] == [1.0, 2.0, 3, 4.0]


def test_samples_are_counted_by_the_first_axis() -> None:
    assert num_samples([proa.ones([5, 2]), proa.ones([1])]) == 5
    assert num_samples([proa.to_tensor(1.0)]) == 1


def test_a_dataset_gets_a_loader_and_a_loader_stays() -> None:
    loader = make_loader(Points(), "train_data", batch_size=8, shuffle=True, drop_last=True)
    assert num_batches(loader) == 2
    assert make_loader(loader, "train_data", batch_size=1) is loader
    batches = [[1, 2]]
    assert make_loader(batches, "train_data", batch_size=1) is batches


class _Stream(proa.io.IterableDataset):
    def __iter__(self) -> Iterator[Any]:
        return iter([np.zeros(1)] * 3)


def test_the_length_of_a_stream_is_not_known() -> None:
    loader = make_loader(_Stream(), "train_data", batch_size=2, shuffle=True)
    assert num_batches(loader) is None
    assert len(list(loader)) == 2


@pytest.mark.parametrize("data", [np.zeros(3), "text", 3, None, proa.Tensor([1.0]), {"x": 1}])
def test_other_data_is_refused(data: Any) -> None:
    with pytest.raises(InvalidTypeError, match="`eval_data` is a "):
        make_loader(data, "eval_data", batch_size=1)


def test_batch_sizes_may_differ() -> None:
    assert split_sizes(4) == (4, 4)
    assert split_sizes([4, 8]) == (4, 8)
    with pytest.raises(InvalidArgumentError, match=r"`batch_size` is \[1, 2, 3\]"):
        split_sizes([1, 2, 3])

from __future__ import annotations

from typing import Any

import pytest

from proa.callbacks import ModelCheckpoint
from proa.core import InvalidArgumentError
from tests.model.callbacks.fake import attach


def test_weights_and_checkpoints_are_saved_when_it_is_time() -> None:
    saving = ModelCheckpoint(2, "run", save_steps=3, keep=5)
    model = attach(saving)
    for model.num_steps in range(1, 7):
        saving.on_train_batch_end(0)
    assert model.requests == [("run/checkpoints", 5)] * 2
    for epoch in range(3):
        saving.on_epoch_end(epoch)
    saving.on_train_end()
    assert model.saved == ["run/0", "run/2", "run/final"]
    assert len(model.requests) == 4


@pytest.mark.parametrize(("save_dir", "keep"), [(None, 2), ("run", 0)])
def test_without_a_folder_or_with_none_to_keep_there_are_no_checkpoints(
    save_dir: Any, keep: int
) -> None:
    saving = ModelCheckpoint(1, save_dir, save_steps=1, keep=keep)
    model = attach(saving)
    model.num_steps = 1
    saving.on_train_batch_end(0)
    saving.on_epoch_end(0)
    saving.on_train_end()
    assert model.requests == []
    assert model.saved == ([] if save_dir is None else ["run/0", "run/final"])


@pytest.mark.parametrize(
    ("options", "name"), [({"save_freq": 0}, "save_freq"), ({"save_steps": 0}, "save_steps")]
)
def test_numbers_out_of_range_are_named(options: Any, name: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"ModelCheckpoint: `{name}` is 0"):
        ModelCheckpoint(**options)
    with pytest.raises(InvalidArgumentError, match="ModelCheckpoint: `keep` is -1"):
        ModelCheckpoint(keep=-1)

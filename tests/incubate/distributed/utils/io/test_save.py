from __future__ import annotations

import pytest

import proa
from proa.incubate.distributed.utils import io


def test_a_state_is_saved(tmp_path):
    path = str(tmp_path / "model.pdparams")
    io.save({"w": proa.to_tensor([1.0])}, path, gather_to=[0], state_type="params")
    assert proa.load(path)["w"].tolist() == [1.0]
    assert io.dist_save.save is io.save
    assert io.save_for_auto.save_for_auto_inference is io.save_for_auto_inference


def test_another_kind(tmp_path):
    with pytest.raises(proa.core.InvalidArgumentError, match="`state_type` is 'model'"):
        io.save({}, str(tmp_path / "x"), state_type="model")

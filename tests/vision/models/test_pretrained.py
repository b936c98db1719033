"""Weights come from local files, or the error says where to put them."""

from __future__ import annotations

from pathlib import Path

import pytest

import proa
from proa.core import NotFoundError
from proa.vision.models import _pretrained, mobilenet_v1, resnet18
from proa.vision.models._pretrained import with_weights


def test_a_file_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROA_DATA", str(tmp_path))
    (tmp_path / "weights").mkdir()
    source = proa.nn.Linear(2, 3)
    proa.save(source.state_dict(), str(tmp_path / "weights" / "small.pdparams"))
    model = with_weights(proa.nn.Linear(2, 3), "small", True)
    assert model.weight.tolist() == source.weight.tolist()
    other = with_weights(proa.nn.Linear(2, 3), "any", tmp_path / "weights" / "small.pdparams")
    assert other.weight.tolist() == source.weight.tolist()


def test_where_to_put_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pretrained, "weight_folders", lambda: [tmp_path])
    with pytest.raises(NotFoundError, match=r"(?s)weights of 'resnet18'.*resnet18.pdparams.*put"):
        resnet18(pretrained=True, num_classes=0)
    with pytest.raises(NotFoundError, match="'mobilenetv1_0.25' are not on this machine"):
        mobilenet_v1(pretrained=True, scale=0.25, num_classes=0)
    with pytest.raises(NotFoundError, match="one of the files /nowhere/x.pdparams"):
        with_weights(proa.nn.Linear(2, 3), "x", "/nowhere/x.pdparams")


def test_the_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROA_DATA", raising=False)
    (cache,) = _pretrained.weight_folders()
    assert cache.parts[-4:] == (".cache", "paddle", "hapi", "weights")
    monkeypatch.setenv("PROA_DATA", "/data")
    assert _pretrained.weight_folders() == [Path("/data/weights"), cache]

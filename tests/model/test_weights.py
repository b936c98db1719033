from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, NotFoundError
from proa.framework import load
from proa.model import Model
from tests.model.toy import LABELS, POINTS


def _model(width: int = 4) -> Model:
    network = proa.nn.Sequential(proa.nn.Linear(3, width), proa.nn.Linear(width, 2))
    model = Model(network)
    model.prepare(
        proa.optimizer.Adam(0.1, parameters=model.parameters()), proa.nn.CrossEntropyLoss()
    )
    return model


def _trained() -> Model:
    model = _model()
    model.train_batch(POINTS, LABELS)
    return model


def test_training_goes_on_from_saved_weights(tmp_path: Path) -> None:
    model = _trained()
    model.save(tmp_path / "run" / "net")
    names = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert names == ["net.pdopt", "net.pdparams"]
    # Another process, or a later model in this one, gives parameters other names.
    again = _model()
    assert again.parameters()[0].name != model.parameters()[0].name
    again.load(tmp_path / "run" / "net.pdparams")
    for each in (model, again):
        each.train_batch(POINTS, LABELS)
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_the_optimizer_can_be_left_as_it_is(tmp_path: Path) -> None:
    _trained().save(tmp_path / "net")
    again = _model()
    again.load(tmp_path / "net", reset_optimizer=True)
    assert again._optimizer.state_dict() == {}


def test_missing_optimizer_state_is_a_warning(tmp_path: Path) -> None:
    _trained().save(tmp_path / "net")
    (tmp_path / "net.pdopt").unlink()
    with pytest.warns(UserWarning, match=r"there is no .*net.pdopt'"):
        _model().load(tmp_path / "net")


def test_another_shape_is_refused_or_left_out(tmp_path: Path) -> None:
    _trained().save(tmp_path / "net")
    other = _model(width=5)
    before = other.parameters()[0].numpy()
    with pytest.raises(InvalidArgumentError, match="of another shape: 0.weight"):
        other.load(tmp_path / "net", reset_optimizer=True)
    message = r"left out, since the shapes differ: 0.weight \[3, 4\] for \[3, 5\]"
    with pytest.warns(UserWarning, match=message):
        other.load(tmp_path / "net", skip_mismatch=True, reset_optimizer=True)
    np.testing.assert_array_equal(other.parameters()[0].numpy(), before)
    saved = load(tmp_path / "net.pdparams")["1.bias"]
    assert other.network.state_dict()["1.bias"].tolist() == saved.tolist()


def test_wrong_paths_are_named(tmp_path: Path) -> None:
    model = _trained()
    model.save(tmp_path / "net")
    with pytest.raises(NotFoundError, match=r"no weights at .*nett.pdparams(.|\n)*there are net"):
        model.load(tmp_path / "nett")
    with pytest.raises(NotFoundError, match="there is no folder"):
        model.load(tmp_path / "nowhere" / "net")
    with pytest.raises(InvalidArgumentError, match="names no file"):
        model.save(f"{tmp_path}/")


def test_inference_gets_an_artifact(tmp_path: Path) -> None:
    network = proa.nn.Linear(3, 2)
    spec = proa.static.InputSpec([None, 3], "float32", "x")
    model = Model(network, spec)
    model.save(tmp_path / "net", training=False)
    loaded = proa.jit.load(tmp_path / "net")
    expected = model.predict_batch(POINTS)[0]
    np.testing.assert_allclose(loaded(proa.to_tensor(POINTS)).numpy(), expected, rtol=1e-6)

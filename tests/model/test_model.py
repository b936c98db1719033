from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError
from proa.model import Model
from tests.model.toy import LABELS, POINTS, Points, make_model, make_network, weights


@pytest.mark.smoke
def test_training_learns_the_task() -> None:
    model = make_model(proa.metric.Accuracy(), rate=0.5)
    before = model.evaluate(Points(), batch_size=20, verbose=0)
    model.fit(Points(), batch_size=5, epochs=30, verbose=0)
    after = model.evaluate(Points(), batch_size=20, verbose=0)
    assert after["loss"][0] < 0.3 < before["loss"][0]
    assert after["acc"] > 0.9


def _cross_entropy(network: Any, points: np.ndarray, labels: np.ndarray) -> float:
    scores = network(proa.to_tensor(points)).numpy().astype("float64")
    scores -= scores.max(axis=1, keepdims=True)
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return float(-logs[np.arange(len(labels)), labels].mean())


def test_evaluation_gives_the_mean_over_all_samples() -> None:
    model = make_model(proa.metric.Accuracy())
    # Batches of 8, 8 and 4: a mean over batches would be another number.
    values = model.evaluate(Points(), batch_size=8, verbose=0)
    assert values["loss"][0] == pytest.approx(
        _cross_entropy(model.network, POINTS, LABELS), rel=1e-5
    )
    best = model.network(proa.to_tensor(POINTS)).numpy().argmax(axis=1)
    assert values["acc"] == pytest.approx((best == LABELS).mean())
    assert model.evaluate(Points(), batch_size=8, verbose=0, num_iters=1)["loss"] == pytest.approx(
        [_cross_entropy(model.network, POINTS[:8], LABELS[:8])], rel=1e-5
    )


def test_the_last_smaller_batch_counts() -> None:
    model = make_model()
    model.fit(Points(), batch_size=8, epochs=1, verbose=0)
    assert model.num_steps == 3
    model.fit(Points(), batch_size=8, epochs=1, verbose=0, drop_last=True)
    assert model.num_steps == 2


def test_predictions_come_per_output() -> None:
    class Two(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(3, 2)

        def forward(self, x: Any) -> Any:
            return self.linear(x), x.sum(axis=1)

    model = Model(Two())
    parts = model.predict(Points(), batch_size=8, verbose=0)
    assert [[a.shape for a in part] for part in parts] == [
        [(8, 2), (8, 2), (4, 2)],
        [(8,), (8,), (4,)],
    ]
    stacked = model.predict(Points(), batch_size=8, stack_outputs=True, verbose=0)
    np.testing.assert_allclose(stacked[1], POINTS.sum(axis=1), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(np.concatenate(parts[0]), stacked[0])
    single = model.predict_batch([POINTS[:3]])
    np.testing.assert_allclose(single[0], stacked[0][:3], rtol=1e-6)


def test_single_batches_answer_with_losses_and_metrics() -> None:
    plain = make_model()
    (loss,) = plain.train_batch(POINTS, LABELS)
    assert loss.shape == ()
    metric = proa.metric.Accuracy(topk=(1, 2))
    model = make_model([metric])
    (first,), values = model.train_batch([POINTS], [LABELS[:, None]])
    assert first == pytest.approx(loss)
    assert values == [[metric.accumulate()[0], 1.0]]
    before = weights(model)
    (evaluated,), _ = model.eval_batch(POINTS, LABELS)
    assert evaluated < first
    for a, b in zip(weights(model), before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_gradients_add_up_until_an_update() -> None:
    model, whole = make_model(), make_model(rate=0.05)
    model.train_batch(POINTS[:10], LABELS[:10], update=False)
    before = weights(model)
    np.testing.assert_array_equal(before[0], weights(whole)[0])
    # The sum over two halves is twice the mean over all.
    model._optimizer.set_lr(0.025)
    model.train_batch(POINTS[10:], LABELS[10:])
    whole.train_batch(POINTS, LABELS)
    for a, b in zip(weights(model), weights(whole), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_modes_are_set() -> None:
    model = make_model()
    model.eval_batch(POINTS, LABELS)
    assert not model.network.training
    model.train_batch(POINTS, LABELS)
    assert model.network.training


def test_the_network_may_be_compiled_by_the_user_already() -> None:
    network = proa.jit.to_static(make_network())
    model = Model(network)
    model.prepare(proa.optimizer.SGD(0.1, parameters=model.parameters()), nn.CrossEntropyLoss())
    plain = make_model()
    np.testing.assert_allclose(
        model.train_batch(POINTS, LABELS)[0], plain.train_batch(POINTS, LABELS)[0], rtol=1e-6
    )


@pytest.mark.parametrize(
    ("network", "message"),
    [(nn.Linear, "is the class Linear(.|\n)*make an object"), (len, "is a builtin_function")],
)
def test_only_layers_make_a_model(network: Any, message: str) -> None:
    with pytest.raises(InvalidTypeError, match=message):
        Model(network)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"optimizer": 3}, InvalidTypeError, "`optimizer` is a int"),
        ({"loss": "mse"}, InvalidTypeError, "`loss` is a str"),
        ({"loss": nn.MSELoss}, InvalidTypeError, r"is the class MSELoss(.|\n)*MSELoss\(\)"),
        ({"metrics": "acc"}, InvalidTypeError, "`metrics` has a str"),
        ({"amp_configs": 3}, InvalidTypeError, "`amp_configs` is a int"),
        ({"amp_configs": "O3"}, InvalidArgumentError, "`amp_configs` has the level 'O3'"),
    ],
)
def test_what_a_model_cannot_be_prepared_with(
    options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Model(make_network()).prepare(**options)


@pytest.mark.parametrize(
    "options",
    [{"epochs": 0}, {"eval_freq": 0}, {"accumulate_grad_batches": 0}, {"num_iters": 1.5}],
)
def test_numbers_out_of_range_are_named(options: Any) -> None:
    (name,) = options
    with pytest.raises(InvalidArgumentError, match=f"fit: `{name}` is "):
        make_model().fit(Points(), verbose=0, **options)


def test_data_callbacks_and_specs_of_another_type_are_refused() -> None:
    model = make_model()
    with pytest.raises(InvalidTypeError, match="`train_data` is a NoneType"):
        model.fit()
    with pytest.raises(InvalidTypeError, match="`callbacks` has the class History"):
        model.fit(Points(), callbacks=proa.callbacks.History)
    with pytest.raises(InvalidTypeError, match=r"`inputs` has \(1, 3\)"):
        Model(make_network(), inputs=[(1, 3)])


def test_a_model_without_loss_is_not_trained() -> None:
    model = Model(make_network())
    with pytest.raises(PreconditionError, match="fit on a Model that was not prepared"):
        model.fit(Points())
    model.prepare(proa.optimizer.SGD(0.1, parameters=model.parameters()))
    with pytest.raises(PreconditionError, match="prepared without loss"):
        model.train_batch(POINTS, LABELS)
    with pytest.raises(PreconditionError, match="evaluate on a Model that was not prepared"):
        Model(make_network()).evaluate(Points())


def test_a_summary_takes_the_models_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    model = Model(make_network(), [proa.static.InputSpec([None, 3], "float32")])
    assert model.summary() == {"total_params": 26, "trainable_params": 26}
    assert model.summary((5, 3))["total_params"] == 26
    assert "[[5, 3]]" in capsys.readouterr().out


def test_a_model_saves_while_it_trains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = make_model()
    model.fit(Points(), batch_size=10, epochs=3, save_dir=tmp_path, save_freq=2, verbose=1)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["0.pdopt", "0.pdparams", "2.pdopt", "2.pdparams", "checkpoints"] + [
        "final.pdopt",
        "final.pdparams",
    ]
    assert f"save checkpoint at {tmp_path}/2" in capsys.readouterr().out
    again = make_model()
    again.load(tmp_path / "final")
    np.testing.assert_array_equal(weights(again)[0], weights(model)[0])

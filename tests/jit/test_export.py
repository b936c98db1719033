from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, ProgramError
from proa.jit import load, save, to_static
from proa.static import InputSpec

nn = proa.nn


def convnet():
    proa.seed(1)
    return nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1),
        nn.BatchNorm2D(4),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Linear(4 * 16, 3),
    )


def prepare(images):
    return images.astype("float32").unsqueeze(1) / 255.0


def decide(logits):
    return nn.functional.softmax(logits, axis=-1), proa.argmax(logits, axis=-1)


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(0).integers(0, 256, size=(5, 8, 8)).astype(np.uint8)


def test_pre_and_postprocessing_travel_with_the_model(tmp_path, images):
    net = convnet()
    assert net.training
    spec = [InputSpec([None, 8, 8], "uint8", "image")]
    path = save(
        net,
        tmp_path / "net",
        spec,
        preprocess=prepare,
        postprocess=decide,
        samples=[images[:2]],
        lineage={"run": "test"},
    )
    assert net.training
    net.eval()
    probability, label = decide(net(prepare(proa.to_tensor(images))))
    loaded = load(path)
    got_probability, got_label = loaded(images)
    np.testing.assert_allclose(got_probability.numpy(), probability.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(got_label.numpy(), label.numpy())
    assert loaded.manifest["lineage"] == {"run": "test"}
    assert loaded.manifest["eager_difference"] <= 1.0


def test_the_spec_of_the_last_call_is_used(tmp_path):
    net = to_static(nn.Linear(4, 2))
    net(proa.ones([3, 4]))
    path = save(net, tmp_path / "net")
    assert load(path)(proa.ones([3, 4])).shape == [3, 2]


def test_an_example_input_is_a_spec_with_any_batch(tmp_path):
    path = save(nn.Linear(4, 2), tmp_path / "net", [proa.ones([3, 4])])
    assert load(path)(proa.ones([7, 4])).shape == [7, 2]


def test_without_a_spec_the_message_has_one_to_paste(tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"input_spec=\[InputSpec\(\[None"):
        save(nn.Linear(4, 2), tmp_path / "net")
    with pytest.raises(InvalidArgumentError, match="entry 0 of `input_spec` is 'x'"):
        save(nn.Linear(4, 2), tmp_path / "net", ["x"])
    assert list(tmp_path.iterdir()) == []


def test_forward_may_name_its_arguments_as_it_likes(tmp_path):
    class Odd(nn.Layer):
        def forward(this, image):
            return image + 1

    assert load(save(Odd(), tmp_path / "odd", [InputSpec([None])]))(proa.zeros([2])).tolist() == [
        1,
        1,
    ]


def test_functions_that_write_state_cannot_be_exported(tmp_path):
    counter = proa.zeros([1])

    def count(x):
        counter.add_(x)
        return counter * 1

    with pytest.raises(ProgramError, match="the function writes tensors"):
        save(count, tmp_path / "count", [InputSpec([1])])
    assert counter.item() == 0.0


def test_results_that_are_no_tensors_are_refused(tmp_path):
    with pytest.raises(ProgramError, match=r"returned \['Tensor', 'str'\]"):
        save(lambda x: (x, "text"), tmp_path / "odd", [InputSpec([1])])

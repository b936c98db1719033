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
    assert load(path)(proa.ones([7, 4])).shape == [7, 2]


def test_the_spec_of_the_last_call_keeps_its_batch_where_the_code_needs_it(tmp_path):
    chosen = to_static(lambda x: x * len([0] * x.shape[0]), full_graph=True)
    chosen(proa.ones([3, 4]))
    path = save(chosen, tmp_path / "chosen")
    assert load(path)(proa.ones([3, 4])).sum().item() == 36.0
    with pytest.raises(InvalidArgumentError, match="5 is not 3"):
        load(path)(proa.ones([5, 4]))


def test_code_that_asks_for_an_unknown_size_is_named(tmp_path):
    with pytest.raises(ProgramError, match=r"test_export.py:\d+ asks what depends on an unknown"):
        save(lambda x: x * len([0] * x.shape[0]), tmp_path / "net", [InputSpec([None])])


def test_inputs_need_names_of_their_own_and_outputs_get_them(tmp_path):
    spec = [InputSpec([None], name="x"), InputSpec([None], name="x")]
    with pytest.raises(InvalidArgumentError, match="a name of its own"):
        save(lambda a, b: a + b, tmp_path / "sum", spec)
    path = save(lambda a: (a, a, a + 1), tmp_path / "same", spec[:1])
    assert [out["name"] for out in load(path).manifest["outputs"]] == ["x", "x_1", "out2"]


def test_tensors_that_share_a_name_keep_their_own_values(tmp_path):
    first, second = proa.ones([1]), proa.zeros([1])
    first.name = second.name = "same"
    path = save(lambda x: (x + first, x + second), tmp_path / "net", [InputSpec([1])])
    assert [t.item() for t in load(path)(proa.zeros([1]))] == [1.0, 0.0]


def test_what_samples_is_refused_by_its_name(tmp_path):
    with pytest.raises(ProgramError, match="writes tensors: state of the random generator"):
        save(lambda x: x + proa.rand([2]), tmp_path / "noise", [InputSpec([2])])


def test_a_loaded_model_can_be_saved_again_and_inside_another(tmp_path):
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 2))
    net.eval()
    x = proa.ones([3, 4])
    first = load(save(net, tmp_path / "first", [InputSpec([None, None, 4])]))
    again = load(save(first, tmp_path / "again", [InputSpec([None, None, 4])]))
    both = nn.Sequential(again, nn.ReLU())
    last = load(save(both, tmp_path / "both", [InputSpec(["n", 3, 4])]))
    expected = nn.functional.relu(net(x)).numpy()
    np.testing.assert_allclose(last(x.unsqueeze(0)).numpy()[0], expected, rtol=1e-6)


UNKNOWN = {
    "topk": lambda x: proa.topk(x, 2, axis=2)[0],
    "interpolate by a factor": lambda x: nn.functional.interpolate(
        x.unsqueeze(1), scale_factor=2, mode="bilinear"
    ),
    "interpolate to sizes": lambda x: nn.functional.interpolate(
        x.unsqueeze(1), size=[x.shape[1] + 3, x.shape[2]], mode="nearest"
    ),
    "positions": lambda x: proa.arange(x.shape[1]).unsqueeze(0) + x[:, :, 0],
    "causal mask": lambda x: proa.triu(proa.full([x.shape[1], x.shape[1]], -1.0), 1),
    "reshape": lambda x: x.reshape([x.shape[0] * x.shape[1], -1]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_sizes_may_be_unknown(tmp_path, name):
    function = UNKNOWN[name]
    loaded = load(save(function, tmp_path / "net", [InputSpec([None, None, None])]))
    for shape in ((2, 3, 4), (1, 7, 5)):
        x = proa.to_tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))
        np.testing.assert_allclose(loaded(x).numpy(), function(x).numpy(), rtol=1e-5, atol=1e-6)


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

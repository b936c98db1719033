from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import PreconditionError
from proa.inference import Config, create_predictor
from proa.jit import save
from proa.nn import functional as F
from proa.static import InputSpec

SPEC = [InputSpec([None, 3], name="x")]


def _predictor(tmp_path, fn, specs=SPEC, sizes=None):
    config = Config(save(fn, tmp_path / "net", specs))
    config.set_batch_buckets(sizes or "powers of two")
    return create_predictor(config)


def test_results_are_those_of_the_unpadded_batch_and_few_shapes_compile(tmp_path):
    def model(x, scale):
        return F.softmax(x * scale, axis=-1), x.argmax(axis=1)

    specs = [InputSpec([None, 3], name="x"), InputSpec([], name="scale")]
    predictor = _predictor(tmp_path, model, specs)
    exact = create_predictor(Config(predictor.config.source.path))
    scale = np.float32(2)
    for batch in (0, 1, 2, 3, 5, 7, 8):
        x = np.random.default_rng(batch).standard_normal((batch, 3)).astype(np.float32)
        got, expected = predictor.run([x, scale]), exact.run([x, scale])
        np.testing.assert_allclose(got[0], expected[0], rtol=1e-6)
        np.testing.assert_array_equal(got[1], expected[1])
    # Batches of 0, 1, 2, 4 and 8, and the 3 of the proof.
    assert "compiled       6 shapes" in predictor.explain()
    assert "padded batches " in predictor.explain()


def test_sizes_of_ones_own_and_multiples_of_the_largest(tmp_path):
    predictor = _predictor(tmp_path, lambda x: x + 1, sizes=[4, 2])
    target = predictor._shared.buckets.target
    assert [target(n) for n in (0, 1, 2, 3, 4, 5, 9)] == [0, 2, 2, 4, 4, 8, 12]


MIXING = {
    "the mean of the batch": lambda x: x - x.mean(axis=0, keepdim=True),
    "a maximum": lambda x: x / x.abs().max(),
    "rows in order": lambda x: proa.sort(x, axis=0),
    "rows from the end": lambda x: proa.flip(x, [0]),
    "a sum over rows so far": lambda x: proa.cumsum(x[::-1], axis=0)[::-1],
    "batch statistics": lambda x: F.softmax(x, axis=0),
}


@pytest.mark.parametrize("kind", MIXING)
def test_models_that_mix_rows_are_refused(tmp_path, kind):
    with pytest.raises(PreconditionError, match="as further rows, the outputs of the first 3 cha"):
        _predictor(tmp_path, MIXING[kind])


def test_a_batch_elsewhere_is_refused(tmp_path):
    for fn, specs, message in (
        (lambda x: x.T, SPEC, r"output `.*` has the shape \[3, 'batch'\]"),
        (lambda x: x.sum(), SPEC, r"output `.*` has the shape \[\]"),
        (lambda x: x, [InputSpec([2, 3], name="x")], "no input has an unknown first size"),
        (
            lambda x: x,
            [InputSpec(["n", "n"], name="x")],
            "input `x` has the batch in another place",
        ),
    ):
        with pytest.raises(PreconditionError, match=message):
            _predictor(tmp_path, fn, specs)


def test_lengths_in_buckets_answer_as_whole_sequences_do(tmp_path):
    class Reader(proa.nn.Layer):
        def __init__(self):
            super().__init__()
            self.gru = proa.nn.GRU(3, 4, direction="bidirect")

        def forward(self, x, lengths):
            return self.gru(x, sequence_length=lengths)[0]

    proa.seed(0)
    net = Reader()
    net.eval()
    specs = [
        proa.static.InputSpec([None, None, 3], name="x"),
        proa.static.InputSpec([None], "int64", name="lengths"),
    ]
    predictor = create_predictor(Config(proa.jit.save(net, tmp_path / "reader", specs)))
    before = predictor._shared.model.num_compiled
    buckets = proa.io.LengthBuckets([4, 8])
    read = buckets.wrap(lambda x, lengths: predictor.run([x, lengths])[0])
    for length in (1, 3, 4, 5, 7, 8):
        x = np.random.default_rng(length).standard_normal((2, length, 3)).astype("float32")
        whole, _ = net.gru(proa.to_tensor(x))
        np.testing.assert_allclose(read(x), whole.numpy(), rtol=0, atol=1e-6)
    assert predictor._shared.model.num_compiled - before == 2
    with pytest.raises(proa.core.OutOfRangeError, match="a sequence of length 9"):
        read(np.zeros((1, 9, 3), "float32"))

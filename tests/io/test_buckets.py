"""Padded to a few lengths, models give what they give for the sequences themselves."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, OutOfRangeError
from proa.io import DataLoader, LengthBuckets, LengthBucketSampler, masked_mean
from proa.jit import to_static

LENGTHS = [3, 5, 2, 7, 4, 6]


class Sequences(proa.io.Dataset):
    def __init__(self):
        rng = np.random.default_rng(0)
        self.rows = [rng.normal(size=[n, 4]).astype(np.float32) for n in LENGTHS]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i], self.rows[i][:, :1] * 2, np.int64(i)


class Tagger(nn.Layer):
    """A recurrent layer that is told lengths, and attention that is given a mask."""

    def __init__(self):
        super().__init__()
        proa.seed(1)
        self.rnn = nn.GRU(4, 4)
        self.encoder = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
        self.head = nn.Linear(4, 1)

    def forward(self, x, lengths):
        mask = proa.arange(x.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
        y, last = self.rnn(x, sequence_length=lengths)
        y = self.encoder(y, mask.unsqueeze(1).unsqueeze(1))
        return self.head(y), last[0]


def test_padded_batches_train_as_the_sequences_themselves():
    data, net = Sequences(), Tagger()
    buckets = LengthBuckets([4, 8], fields=(0, 1))
    batches = LengthBucketSampler(LENGTHS, 2, buckets)

    def step(x, y, lengths):
        made, last = net(x, lengths)
        loss = masked_mean((made - y) ** 2, lengths)
        loss.backward()
        gradient = net.rnn.parameters()[0].grad * 1
        net.clear_gradients()
        return loss.detach(), gradient, last.detach()

    compiled = to_static(step, full_graph=True)
    for indices, (x, y, lengths, which) in zip(
        batches, DataLoader(data, batch_sampler=batches, collate_fn=buckets), strict=True
    ):
        assert which.tolist() == indices
        assert x.shape[1] in (4, 8)
        loss, gradient, last = compiled(x, y, lengths)
        squares, count, parts, ends = 0.0, 0, 0.0, []
        for i in indices:
            row = proa.to_tensor(data.rows[i][None])
            made, end = net(row, proa.to_tensor([LENGTHS[i]]))
            squares = squares + ((made - proa.to_tensor(data[i][1])) ** 2).sum()
            count, ends = count + LENGTHS[i], [*ends, end.numpy()[0]]
        (squares / count).backward()
        parts = net.rnn.parameters()[0].grad.numpy()
        net.clear_gradients()
        np.testing.assert_allclose(loss.item(), squares.item() / count, rtol=1e-5)
        np.testing.assert_allclose(gradient.numpy(), parts, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(last.numpy(), ends, rtol=1e-5)
    # Six lengths, but two sizes of whole batches and two of the last ones.
    assert compiled.num_variants == 4


class Sums(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 1)

    def forward(self, x, lengths):
        return masked_mean(self.linear(x), lengths).reshape([1])


class Rows(Sequences):
    def __getitem__(self, i):
        return self.rows[i], np.float32([i])


def test_fit_takes_buckets():
    buckets = LengthBuckets([4, 8])
    loader = DataLoader(
        Rows(),
        batch_sampler=LengthBucketSampler(LENGTHS, 1, buckets, shuffle=True),
        collate_fn=buckets,
    )
    spec = proa.static.InputSpec
    model = proa.Model(Sums(), [spec([None, None, 4]), spec([None], "int64")], [spec([None, 1])])
    model.prepare(proa.optimizer.SGD(0.01, parameters=model.parameters()), nn.MSELoss())
    model.fit(loader, epochs=2, verbose=0)
    assert np.isfinite(model.evaluate(loader, verbose=0)["loss"]).all()


def test_a_predictor_answers_for_all_lengths(tmp_path):
    net = Tagger()
    spec = [proa.static.InputSpec([None, None, 4]), proa.static.InputSpec([None], "int64")]
    loaded = proa.jit.load(proa.jit.save(net, tmp_path / "net", spec))
    seen = set()

    def padded(x, lengths):
        seen.add(x.shape[1])
        return loaded(proa.to_tensor(x), proa.to_tensor(lengths))

    run = LengthBuckets([4, 8]).wrap(padded)
    net.eval()
    for row in Sequences().rows:
        made, last = run(row[None])
        expected = net(proa.to_tensor(row[None]), proa.to_tensor([len(row)]))
        np.testing.assert_allclose(made.numpy(), expected[0].numpy(), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(last.numpy(), expected[1].numpy(), rtol=1e-4, atol=1e-6)
    assert seen == {4, 8}


def test_buckets_of_lengths():
    assert [LengthBuckets().size_of(n) for n in (0, 1, 3, 4, 5)] == [1, 1, 4, 4, 8]
    padded, lengths = LengthBuckets([4], pad_value=-1).pad([[1, 2], [3]])
    assert (padded.tolist(), lengths.tolist()) == ([[1, 2, -1, -1], [3, -1, -1, -1]], [2, 1])
    sampler = LengthBucketSampler(LENGTHS, 2, LengthBuckets([4, 8]), shuffle=True, drop_last=True)
    batches = list(sampler)
    assert len(batches) == len(sampler) == 2
    assert all(len({LENGTHS[i] > 4 for i in batch}) == 1 for batch in batches)


def test_what_buckets_refuse():
    with pytest.raises(InvalidArgumentError, match=r"`sizes` is \[8, 4\]"):
        LengthBuckets([8, 4])
    with pytest.raises(OutOfRangeError, match="a sequence of length 9"):
        LengthBuckets([4, 8]).size_of(9)
    with pytest.raises(InvalidArgumentError, match=r"sequences of shapes \[\(2, 1\), \(2,\)\]"):
        LengthBuckets().pad([np.ones([2, 1]), np.ones([2])])

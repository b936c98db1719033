from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError

CHANCES = np.array([0.05, 0.4, 0.25, 0.3], "float32")


def drawn(ps, rows=4000, **settings):
    """How often each token is drawn."""
    proa.seed(1)
    x = proa.to_tensor(np.tile(CHANCES, (rows, 1)))
    limits = {k: proa.full([rows], v) for k, v in settings.items() if k == "threshold"}
    value, token = proa.Tensor.top_p_sampling(x, proa.full([rows], ps), **{**settings, **limits})
    assert value.shape == token.shape == [rows, 1]
    assert token.dtype == proa.int64
    tokens = token.numpy()[:, 0]
    np.testing.assert_array_equal(value.numpy()[:, 0], CHANCES[tokens])
    return np.bincount(tokens, minlength=4) / rows


@pytest.mark.parametrize(
    ("ps", "settings", "share"),
    [
        (0.3, {}, [0, 1, 0, 0]),
        (0.5, {}, [0, 4 / 7, 0, 3 / 7]),
        (1.0, {}, CHANCES),
        (0.3, {"mode": "non-truncated"}, CHANCES),
        (1.0, {"threshold": 0.28}, [0, 4 / 7, 0, 3 / 7]),
        (1.0, {"threshold": 0.9}, [0, 1, 0, 0]),
    ],
)
def test_the_likeliest_tokens_share_the_draws(ps, settings, share):
    np.testing.assert_allclose(drawn(ps, **settings), share, atol=0.03)


def test_seeds():
    x = proa.to_tensor(np.tile(CHANCES, (50, 1)))
    ps = proa.ones([50, 1])

    def tokens(**settings):
        return x.top_p_sampling(ps, **settings)[1].flatten().tolist()

    assert tokens(seed=3) == tokens(seed=3) != tokens(seed=4)
    alike = tokens(topp_seed=proa.full([50], 9, "int64"))
    assert len(set(alike)) == 1
    assert len(set(tokens(topp_seed=proa.arange(50)))) > 1


def test_the_likeliest_can_be_returned():
    x = proa.to_tensor(CHANCES[None])
    *_, values, tokens = x.top_p_sampling(proa.to_tensor([0.1]), k=2, return_top=True)
    assert tokens.tolist() == [[1, 3]]
    assert values.tolist() == x.gather(proa.to_tensor([1, 3]), axis=1).tolist()


def test_bad_arguments():
    x = proa.to_tensor(CHANCES[None])
    with pytest.raises(InvalidArgumentError, match="`mode` of `top_p_sampling` is 'x'"):
        x.top_p_sampling(proa.ones([1]), mode="x")
    with pytest.raises(InvalidArgumentError, match=r"`ps` \[2\]"):
        x.top_p_sampling(proa.ones([2]))

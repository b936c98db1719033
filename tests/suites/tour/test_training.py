from __future__ import annotations

import pytest

from proa.core import PreconditionError
from proa.suites.tour._training import losses_of, train_apart


class _History:
    steps = ({"loss": [1.5]}, {"loss": 0.5})


def test_losses_are_plain_numbers():
    assert losses_of(_History()) == [1.5, 0.5]
    assert losses_of(_History(), 1) == [1.5]


def test_a_run_that_fails_apart_tells_its_last_words(tmp_path):
    out = tmp_path / "losses.json"
    with pytest.raises(
        PreconditionError, match=r"data-parallel run ended with code(.|\n)*run it alone"
    ):
        train_apart("data", out, epochs=1, seed=0, folder=str(tmp_path / "nowhere"))
    assert not out.exists()

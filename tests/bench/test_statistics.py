"""Medians, agreement and verdicts."""

from __future__ import annotations

import pytest

from bench._statistics import disagreements, summary, verdicts
from bench._workload import Target


def test_summary_gives_median_least_and_spread() -> None:
    found = summary([4.0, 1.0, 2.0, 3.0, 10.0])
    assert found == {"median": 3.0, "least": 1.0, "spread": pytest.approx(1 / 3)}
    assert summary([2.0]) == {"median": 2.0, "least": 2.0, "spread": 0.0}


@pytest.mark.parametrize(
    ("losses", "words"),
    [
        ([2.0005, 1.01, 0.505], None),
        ([2.01, 1.0, 0.5], "loss 1 is 2.01"),
        ([2.0, 1.0, 0.6], "loss 3 is 0.6"),
        ([2.0, float("nan"), 0.5], "not finite"),
    ],
)
def test_losses_that_differ_are_named(losses: list[float], words: str | None) -> None:
    found = disagreements({"proa eager": [2.0, 1.0, 0.5], "peer": losses}, 1e-3)
    if words is None:
        assert found == []
    else:
        assert len(found) == 1
        assert found[0].startswith("peer")
        assert words in found[0]


def test_verdict_takes_the_fastest_peer_there_is() -> None:
    figures = {"proa": 2.0, "slow": 4.0, "fast": 1.0}
    targets = [Target("proa", ("slow", "fast", "absent"), 1.5), Target("proa", ("absent",), 1.0)]
    (found,) = verdicts(figures, targets)
    assert (found.peer, found.ratio, found.met) == ("fast", 2.0, False)
    assert verdicts(figures, [Target("proa", ("slow",), 0.5)])[0].met


def test_target_without_peers_is_in_seconds() -> None:
    (found,) = verdicts({"proa": 1.5}, [Target("proa", (), 3.0)])
    assert (found.peer, found.ratio, found.met) == ("3 s", 0.5, True)

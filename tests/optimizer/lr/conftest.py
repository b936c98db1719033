"""What every schedule is checked for."""

from __future__ import annotations

import pytest


def rates(schedule, count):
    found = []
    for _ in range(count):
        found.append(schedule())
        schedule.step()
    return found


def near(expected):
    return pytest.approx(expected, rel=1e-11, abs=1e-14)


@pytest.fixture
def check_schedule():
    """Checks the rates, a jump, and a run that is resumed in the middle."""

    def check(make, expected):
        assert rates(make(), len(expected)) == near(expected)
        jumped = make()
        jumped.step(7)
        assert jumped.last_epoch == 7
        assert rates(jumped, 3) == near(expected[7:])
        first, second = make(), make()
        rates(first, 4)
        second.set_state_dict(first.state_dict())
        assert second() == first()
        assert rates(second, 6) == near(expected[4:])

    return check

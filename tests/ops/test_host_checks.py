from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from proa.core import OutOfRangeError
from proa.ops import _host_checks as checks


def test_message_names_the_place():
    with pytest.raises(OutOfRangeError, match=r"`ids` of `lookup` holds 7 at \[1, 0\]"):
        checks.check_range(jnp.array([[0, 1], [7, 2]]), 4, "ids", "lookup", "a row")


def test_ignored_value_passes_and_others_do_not():
    checks.check_range(jnp.array([0, -100]), 4, "label", "loss", "a class", -100)
    checks.check_range(jnp.array([0, 255]), 4, "label", "loss", "a class", 255)
    with pytest.raises(OutOfRangeError, match="or the ignored value -100"):
        checks.check_range(jnp.array([-100, -1]), 4, "label", "loss", "a class", -100)


def test_empty_and_what_is_not_on_the_host():
    checks.check_range(np.zeros(0, int), 0, "ids", "lookup", "a row")
    assert checks.host_values(object()) is None

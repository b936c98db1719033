from __future__ import annotations

import pytest

from proa.core import all_ops
from proa.formats import artifact_to_onnx
from proa.formats.onnx._rules import RULES, axes_of, writes


def test_every_rule_is_for_an_op_that_there_is() -> None:
    assert callable(artifact_to_onnx)
    assert set(RULES) <= set(all_ops())


def test_an_op_has_one_rule() -> None:
    with pytest.raises(ValueError, match="two rules write 'add'"):
        writes("add")(lambda g: None)


@pytest.mark.parametrize(
    ("axis", "found"), [(None, (0, 1, 2)), ((), (0, 1, 2)), (-1, (2,)), ((0, -2), (0, 1))]
)
def test_axes_count_from_the_front(axis, found) -> None:
    assert axes_of(axis, 3) == found

from __future__ import annotations

import pytest

import proa
import proa.nn.functional as F
from proa.core import InvalidArgumentError, InvalidTypeError, UnsupportedError
from proa.nn.attention import SDPBackend, sdp_kernel, sdpa_kernel

Q = proa.to_tensor([1.0, 2.0]).reshape([1, 2, 1, 1])


@pytest.mark.parametrize("backend", [b for b in SDPBackend if b is not SDPBackend.ERROR])
def test_every_kernel_gives_the_same(backend):
    expected = F.scaled_dot_product_attention(Q, Q, Q).tolist()
    with sdpa_kernel([backend, SDPBackend.ERROR], set_priority=True):
        assert F.scaled_dot_product_attention(Q, Q, Q).tolist() == expected
    with sdp_kernel(enable_math=True):
        assert F.scaled_dot_product_attention(Q, Q, Q).tolist() == expected


ERRORS = [
    ("math", InvalidTypeError, "an SDPBackend, or a list of them"),
    ([1], InvalidTypeError, "an SDPBackend"),
    ([], InvalidArgumentError, "at least one SDPBackend"),
    (SDPBackend.ERROR, UnsupportedError, "MATH, FLASH_ATTENTION or EFFICIENT_ATTENTION"),
]


@pytest.mark.parametrize(("backends", "kind", "match"), ERRORS)
def test_errors(backends, kind, match):
    with pytest.raises(kind, match=match), sdpa_kernel(backends):
        pass
    with pytest.raises(InvalidArgumentError, match="at least one"), sdp_kernel(False, False, False):
        pass

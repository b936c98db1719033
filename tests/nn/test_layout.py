"""Layouts whose default depends on the class."""

from __future__ import annotations

import inspect

import pytest

from proa import nn
from proa.core import InvalidArgumentError


@pytest.mark.parametrize(
    ("layer", "default"),
    [
        (nn.Conv1D, "NCL"),
        (nn.Conv2D, "NCHW"),
        (nn.Conv3DTranspose, "NCDHW"),
        (nn.BatchNorm1D, "NCL"),
        (nn.InstanceNorm3D, "NCDHW"),
    ],
)
def test_the_signature_shows_the_default_of_the_class(layer, default):
    assert inspect.signature(layer).parameters["data_format"].default == default


def test_the_layout_must_be_one_of_the_class():
    with pytest.raises(InvalidArgumentError, match=r"Conv2D: `data_format` is 'NCL'"):
        nn.Conv2D(1, 1, 1, data_format="NCL")
    with pytest.raises(InvalidArgumentError, match=r"BatchNorm3D: `data_format` is 'NHWC'"):
        nn.BatchNorm3D(1, data_format="NHWC")

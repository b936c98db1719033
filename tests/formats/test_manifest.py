from __future__ import annotations

import numpy as np

from proa.formats import make_manifest
from proa.program import make_dimension
from proa.version import full_version


def test_a_manifest_says_what_goes_in_and_out():
    batch = make_dimension("batch")
    made = make_manifest([((batch, 3), np.float32, "x")], [((batch,), "int64", "y")], {"main": []})
    assert made["inputs"] == [{"name": "x", "dtype": "float32", "shape": ["batch", 3]}]
    assert made["outputs"] == [{"name": "y", "dtype": "int64", "shape": ["batch"]}]
    assert made["versions"]["proa"] == full_version
    assert (made["captures"], made["lineage"]) == ({"main": []}, {})

from __future__ import annotations

import pytest

import proa
from proa.core import UnsupportedError


@pytest.fixture(scope="module")
def adam():
    layer = proa.nn.Linear(2, 1)
    made = proa.optimizer.Adam(parameters=layer.parameters())
    layer(proa.ones([1, 2])).sum().backward()
    made.step()
    return made


def test_there_is_no_shared_buffer(adam):
    assert adam.fused_buffer_version == 0
    names = ("buffer", "buffer_ipc_meta", "accumulators_meta", "master_weights_meta")
    assert [getattr(adam, f"fused_states_{name}") for name in names] == [None] * 4
    assert adam.need_refuse() is adam.reset_need_refuse() is None


@pytest.mark.parametrize(
    ("name", "arguments"), [("use_fusion_storage", ()), ("set_merged_model_params", ([],))]
)
def test_sharing_is_refused(adam, name, arguments):
    with pytest.raises(UnsupportedError, match=f"`{name}` of an optimiser"):
        getattr(adam, name)(*arguments)


def test_names_of_states(adam):
    names = adam.get_opti_var_name_list()
    assert sum("moment1" in name for name in names) == 2
    assert set(names) <= set(adam.state_dict())

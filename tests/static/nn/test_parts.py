from __future__ import annotations

import proa
from proa import static
from proa.static.nn._parts import activated, plain


def test_settings_and_activations():
    attr = static.WeightNormParamAttr(dim=0, name="w", need_clip=False)
    assert type(plain(attr)) is proa.ParamAttr
    assert (plain(attr).name, plain(attr).need_clip) == ("w", False)
    assert plain(None) is None
    assert activated(proa.to_tensor([-1.0, 2.0]), "relu").tolist() == [0.0, 2.0]

from __future__ import annotations

from proa import static


def test_settings_without_the_normalisation():
    attr = static.WeightNormParamAttr(2, "w", learning_rate=0.5, trainable=False)
    found = vars(attr.plain())
    assert (attr.dim, found["name"], found["learning_rate"]) == (2, "w", 0.5)
    assert "dim" not in found
    assert not found["trainable"]
    assert not found["do_model_average"]

from __future__ import annotations

import numpy as np

from proa import static


def test_values_are_found_by_name_and_set():
    main = static.Program()
    with static.program_guard(main):
        weight = static.create_parameter([2], "float32", name="scoped weight")
        weight * 2
        found = static.global_scope().find_var("scoped weight").get_tensor()
        found.set(np.float32([3, 4]))
        assert np.array(found).tolist() == [3.0, 4.0]
        assert found.shape() == [2]
        assert static.global_scope().var("nothing") is None
    assert weight.tolist() == [3.0, 4.0]
    scope = static.Scope()
    with static.scope_guard(scope):
        assert static.global_scope() is scope
    assert static.global_scope() is not scope

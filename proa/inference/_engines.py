"""The engines, by name."""

from __future__ import annotations

from proa.core import UnknownNameError

from ._engine import Engine
from ._engine_onnxruntime import OnnxruntimeEngine
from ._engine_openvino import OpenvinoEngine
from ._engine_xla import XlaEngine

#: In the order in which they are preferred at equal speed.
ENGINES: dict[str, Engine] = {
    engine.name: engine for engine in (XlaEngine(), OpenvinoEngine(), OnnxruntimeEngine())
}


def find_engine(name: str) -> Engine:
    """Returns the engine of a name, whether it is installed or not.

    Raises:
        UnknownNameError: there is none of this name.
    """
    engine = ENGINES.get(name)
    if engine is None:
        raise UnknownNameError(
            f"there is no engine {name!r}",
            expected=f"one of {list(ENGINES)}",
            fix="check the spelling",
        )
    return engine

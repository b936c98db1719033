"""Files that paddle 3.3.1 wrote, recorded here, are read with their values and names."""

from __future__ import annotations

import base64
import io
import zlib
from typing import Any

from proa.framework import load

# A Linear(2, 1) with weight [[1], [2]] after one step of Momentum(0.5, 0.9) with gradient 1.
_FILES = {
    "pdparams": (
        "eNpNT01Lw0AQ3a2JVagHL734B3oKPXgUWsjNhSDqPWyS1Q00SdnuUnIQvPgRmFufv0f/Wd1uEXyHGd7Mm8eb1+jr"
        "grOAF8zodKvqZ21B09Y16z7Jy86opHErW0tjZA+a5EaVXbuxxpUWO1AclKBxWx0lOwj2hpQX+MA9ZoKLkeDv0DHF"
        "le3X6nA0errG8HncnxC/QZZlt3uPUASzKIb0zIdaMPazgKcUFbXcQEd6fLDX53/m3JPLIY28+DsIrx5CNmdU9djd"
        "SSMbZZXJfFsu4Z/UnCarulXS5PNkm8+hp/8GhR84l/wCoFlo1w=="
    ),
    "pdopt": (
        "eNp1UEtLw0AQztaEqPTipR78Az2FHDwKLeQgGAnS9r5sNiMb2DzY7ioBhV58BPbW8f/5TzQPFD10YGb4mPlmvpmd"
        "+/FEnMGecW7PZV4CUzQMHmlIH0BWPNcNDdHOSlPUTUB5pSAojNQ5U4o1aKdUAa/KrVaGa9yj9YZOtH6ZjS17jJ0X"
        "jEiKb7jCeUziSUxeUXjWy3RTQ0+a3F9i+z7Wjyy5wiRJbr46G0LsaEzb6NhxdovesYN/tKb/tQpX+P1GcfKzj3Tg"
        "rI3cX+70dkXXXEBmJCjsLz+VbKsp1BUXnVzrD1AqvF58ju8x9mI93GgUZJvqjilWgAaVdGm57GcIcvh/YnZYrzHB"
        "N1Zdkf8="
    ),
    "nested": (
        "eNp1j81Kw0AQx5M00WJFEUEEfQC9hCIehR7iyUAEXyDkY9td2Hyw3aXkIHhpNTC3jldfRd9MJynSHnQOC8P8/h/7"
        "4r5/2FY/z3gFHqurjGM4AK+ociYRRlklJcu0qMo5bY8qZ4rl9yLTuMbrJ9LsLZiYcY0wTI2QWnScp00tGRFwKEXJ"
        "EhWP/UU8RjgrTVE3fpxVivmFITxRKmmIixXLKEMr01uD15MI+2W+QdYYWksM7BRfkXJDO3RCe4X8GLxcN3Wf5kxv"
        "sX3b3Adg32EURQ/fNP0TWhrTNhjSZyeW9TVBWle4JBrcVCRz5Ac7fVPqy4/4SZfKT38zbVou2sAlj8+t3oDLEznt"
        "DEYsmTEV66L+V38OjrnZ9uSXf7V0dvsZ/wcQD6dQ"
    ),
    "tensor": (
        "eNolzr8OgjAQBnCqEBycfQanhsHRjc0mDL5Aw58aSaCQ0g5sLqgk3fh8FkcfTSt8w+WS+13ubv7r7S2xm8yUlS5l"
        "Bxto01YCE+y2KqVIFY9oxiPYnTR121OeN0rQ2jieKpX2znEl8kZ2Wplc/xeDWcKGsljIBOYNiEmGB87YM8LIgGto"
        "g0L37XxrdTlgfC7TtSVHJEly+rrMhXka2Rj77tUPXHvH4CT9ASR/Tk8="
    ),
}


def _load(name: str) -> Any:
    return load(io.BytesIO(zlib.decompress(base64.b64decode(_FILES[name]))))


def test_weights() -> None:
    state = _load("pdparams")
    assert list(state) == ["weight", "bias"]
    assert state["weight"].tolist() == [[0.5], [1.5]]
    assert state["bias"].tolist() == [-0.5]
    assert state["weight"].name == "linear_0.w_0"
    assert state["weight"].dtype == "float32"


def test_optimizer_state() -> None:
    state = _load("pdopt")
    assert state["linear_0.w_0_velocity_0"].tolist() == [[1.0], [1.0]]
    assert state["linear_0.b_0_velocity_0"].tolist() == [1.0]
    assert state["LR_Scheduler"] == {"last_epoch": 0, "last_lr": 0.5}


def test_nested_values() -> None:
    read = _load("nested")
    assert read["epoch"] == 3
    assert read["model"]["weight"].tolist() == [[0.5], [1.5]]
    assert read["model"]["weight"].name == "linear_0.w_0"
    assert read["half"].dtype == "bfloat16"
    assert read["half"].tolist() == [1.5]


def test_one_tensor() -> None:
    assert _load("tensor").tolist() == [-0.5]
    assert _load("tensor").name == "linear_0.b_0"

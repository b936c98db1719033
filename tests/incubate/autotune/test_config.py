from __future__ import annotations

import json

import pytest

from proa.core import InvalidArgumentError, InvalidTypeError, NotFoundError
from proa.incubate.autotune import set_config

GOOD = {
    "kernel": {"enable": True, "tuning_range": [1, 5]},
    "layout": {"enable": True},
    "dataloader": {"enable": True, "tuning_steps": 3},
}


@pytest.mark.parametrize("config", [None, {}, GOOD])
def test_good_settings(config, tmp_path):
    set_config(config)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    set_config(str(path))


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"foo": {}}, InvalidArgumentError, "part 'foo'"),
        ({"kernel": {"enable": 1}}, InvalidArgumentError, "part 'kernel'"),
        ({"kernel": 3}, InvalidArgumentError, "part 'kernel' of the tuning settings is 3"),
        ({"layout": {"speed": True}}, InvalidArgumentError, "part 'layout'"),
        (3, InvalidTypeError, "is a int"),
        ("nofile.json", NotFoundError, "'nofile.json' cannot be read"),
    ],
)
def test_bad_settings(config, error, message):
    with pytest.raises(error, match=message):
        set_config(config)


def test_a_file_that_is_no_json(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("{")
    with pytest.raises(InvalidArgumentError, match="are no JSON"):
        set_config(str(path))

from __future__ import annotations

import io
import os
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import proa
from proa.core import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    Tensor,
    UnsupportedError,
    to_tensor,
)
from proa.framework import load, save


def _named(values: Any, name: str, dtype: Any = None) -> Tensor:
    made = to_tensor(values, dtype=dtype)
    made.name = name
    return made


def _state() -> dict[str, Tensor]:
    return OrderedDict(
        weight=_named([[1.0, 2.0]], "linear_0.w_0"), steps=_named([3, 4], "counter_0", "int64")
    )


# What paddle 3.3.1 writes for such a state dict: arrays, and the table of names.
def test_a_state_dict_has_the_form_of_paddles_files(tmp_path: Path) -> None:
    save(_state(), tmp_path / "net.pdparams")
    raw = pickle.loads((tmp_path / "net.pdparams").read_bytes())
    assert type(raw) is dict
    assert list(raw) == ["weight", "steps", "StructuredToParameterName@@"]
    assert raw["weight"].dtype == np.float32
    assert raw["weight"].tolist() == [[1.0, 2.0]]
    table = {"weight": "linear_0.w_0", "steps": "counter_0"}
    assert raw["StructuredToParameterName@@"] == table


# The same for nested values: a tensor is a tuple of its name and its array.
def test_nested_values_have_the_form_of_paddles_files(tmp_path: Path) -> None:
    save({"epoch": 1, "model": _state()}, tmp_path / "x")
    raw = pickle.loads((tmp_path / "x").read_bytes())
    name, array = raw["model"]["weight"]
    assert (name, array.tolist()) == ("linear_0.w_0", [[1.0, 2.0]])
    assert type(raw["model"]) is OrderedDict
    assert "StructuredToParameterName@@" not in raw


def test_an_optimizers_state_keeps_its_nested_parts(tmp_path: Path) -> None:
    given = {
        "w_moment1_0": _named([1.0], "w_moment1_0"),
        "LR_Scheduler": {"last_epoch": 2, "last_lr": 0.1},
        "master_weights": {"w": _named([2.0], "w_fp32_master_0")},
    }
    save(given, tmp_path / "net.pdopt")
    raw = pickle.loads((tmp_path / "net.pdopt").read_bytes())
    # With a table of names Paddle would not look for the tensors further in.
    assert "StructuredToParameterName@@" not in raw
    assert raw["master_weights"]["w"][1].tolist() == [2.0]
    read = load(tmp_path / "net.pdopt")
    assert read["LR_Scheduler"] == {"last_epoch": 2, "last_lr": 0.1}
    assert read["master_weights"]["w"].tolist() == [2.0]
    assert read["master_weights"]["w"].name == "w_fp32_master_0"


def test_a_schedule_beside_tensors_needs_no_nesting(tmp_path: Path) -> None:
    given = {"w_velocity_0": _named([1.0], "w_velocity_0"), "LR_Scheduler": {"last_epoch": 2}}
    save(given, tmp_path / "net.pdopt")
    raw = pickle.loads((tmp_path / "net.pdopt").read_bytes())
    assert raw["StructuredToParameterName@@"] == {"w_velocity_0": "w_velocity_0"}
    assert raw["LR_Scheduler"] == {"last_epoch": 2}


@pytest.mark.smoke
@pytest.mark.parametrize("ending", ["pdparams", "safetensors"])
def test_tensors_come_back_with_their_names(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"net.{ending}"
    save(_state(), path)
    read = load(path)
    assert {key: t.name for key, t in read.items()} == {
        "weight": "linear_0.w_0",
        "steps": "counter_0",
    }
    assert read["weight"].tolist() == [[1.0, 2.0]]
    assert read["steps"].dtype == "int64"
    assert read["weight"].stop_gradient
    arrays = load(path, return_numpy=True)
    assert isinstance(arrays["weight"], np.ndarray)


@pytest.mark.parametrize("ending", ["pdparams", "safetensors"])
def test_bfloat16_and_edge_shapes_come_back(tmp_path: Path, ending: str) -> None:
    half = to_tensor([1.5, -2.0], dtype="bfloat16")
    given = {"half": half, "scalar": to_tensor(3.0), "empty": to_tensor(np.zeros((0, 3)))}
    save(given, tmp_path / f"x.{ending}")
    read = load(tmp_path / f"x.{ending}")
    assert read["half"].dtype == "bfloat16"
    assert read["half"].tolist() == [1.5, -2.0]
    assert [read["scalar"].shape, read["empty"].shape] == [[], [0, 3]]


def test_bfloat16_is_stored_as_its_bits(tmp_path: Path) -> None:
    save({"half": to_tensor([1.0], dtype="bfloat16")}, tmp_path / "x.pdparams")
    raw = pickle.loads((tmp_path / "x.pdparams").read_bytes())["half"]
    assert raw.dtype == np.uint16
    assert raw.view(ml_dtypes.bfloat16).tolist() == [1.0]


@pytest.mark.parametrize(
    "given", [[1, 2.5], "text", 3, None, {1: 2}, (1, ("a",)), {"s": {1, 2}}, b"x", True]
)
def test_plain_values_come_back(given: Any) -> None:
    file = io.BytesIO()
    save(given, file)
    file.seek(0)
    read = load(file)
    assert read == given
    assert type(read) is type(given)


def test_the_name_table_can_be_kept(tmp_path: Path) -> None:
    save(_state(), tmp_path / "x")
    assert "StructuredToParameterName@@" in load(tmp_path / "x", keep_name_table=True)


def test_a_failed_save_leaves_the_previous_file(tmp_path: Path) -> None:
    path = tmp_path / "x.pdparams"
    save(_state(), path)
    before = path.read_bytes()
    with pytest.raises(InvalidTypeError, match=r"`obj\['a'\]\[1\]` is a object"):
        save({"a": [1, object()]}, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x.pdparams"]


class _Layer:
    def state_dict(self) -> dict[str, Tensor]:
        return {}


@pytest.mark.parametrize(
    ("given", "path", "error", "message"),
    [
        (_Layer(), "x", InvalidTypeError, r"is a _Layer(.|\n)*save its state_dict\(\)"),
        ({}, "", InvalidArgumentError, "names no file"),
        ({}, "folder/", InvalidArgumentError, "names no file"),
        ({}, 3, InvalidTypeError, "`path` is a int"),
        ([1], "x.safetensors", InvalidTypeError, "a list cannot be saved as '.safetensors'"),
        ({"a": 1}, "x.safetensors", InvalidTypeError, "entry 'a' is a int"),
        ({"a": np.ones(1, "uint16")}, "x", UnsupportedError, "a tensor is uint16"),
        (
            {"a": np.ones(1, ml_dtypes.float8_e5m2)},
            "x",
            UnsupportedError,
            "a tensor is float8_e5m2",
        ),
    ],
)
def test_what_cannot_be_saved_is_named(
    tmp_path: Path, given: Any, path: Any, error: type[Exception], message: str
) -> None:
    path = f"{tmp_path}/{path}" if path and isinstance(path, str) else path
    with pytest.raises(error, match=message):
        save(given, path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("protocol", [1, 5, "4", True])
def test_an_unknown_protocol_is_refused(tmp_path: Path, protocol: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="`protocol` is .*\n.*2, 3 or 4"):
        save({}, tmp_path / "x", protocol=protocol)


def test_a_missing_file_is_named_with_its_neighbours(tmp_path: Path) -> None:
    save(_state(), tmp_path / "net.pdparams")
    with pytest.raises(NotFoundError, match=r"net.pdopt(.|\n)*did you mean net.pdparams"):
        load(tmp_path / "net.pdopt")
    with pytest.raises(NotFoundError, match="there is no folder"):
        load(tmp_path / "nowhere" / "net.pdopt")


@pytest.mark.parametrize("ending", ["pdparams", "safetensors"])
def test_a_truncated_file_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.{ending}"
    save(_state(), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ArtifactError, match="is truncated, altered or of another kind"):
        load(path)


def test_arrays_beside_tensors_stay_arrays() -> None:
    """As in Paddle, where a file without tensors gives Tensors for its arrays."""
    file = io.BytesIO()
    proa.save({"t": [proa.ones([1])], "a": np.arange(2)}, file)
    file.seek(0)
    read = proa.load(file)
    assert isinstance(read["t"][0], proa.Tensor)
    assert isinstance(read["a"], np.ndarray)
    alone = io.BytesIO()
    proa.save({"a": np.arange(2), "n": 3}, alone)
    alone.seek(0)
    assert isinstance(proa.load(alone)["a"], proa.Tensor)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_no_elements(protocol: int) -> None:
    file = io.BytesIO()
    proa.save({"w": proa.zeros([0, 3])}, file, protocol)
    file.seek(0)
    assert proa.load(file)["w"].shape == [0, 3]

"""`save` and `load`: state dicts and nested values in Paddle's files, or in safetensors."""

from __future__ import annotations

import io
import json
import os
import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import ml_dtypes
import numpy as np

from proa.core import (
    DenseTensor,
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    Tensor,
    UnsupportedError,
    to_tensor,
)

from ._binary_tensor import is_binary, pack_tensor, unpack_tensor
from ._replace import replace_file
from ._safetensors import read_arrays, write_arrays
from ._unpickle import load_plain

# In Paddle's files this entry maps the keys of a state dict to the names of the tensors.
NAME_TABLE = "StructuredToParameterName@@"
_HEAD_BYTES = 32
_SEQUENCES = (list, tuple, set, frozenset)
_PLAIN = (str, int, float, complex, bool, bytes, type(None), np.generic)


def save(obj: Any, path: Any, protocol: int = 4, **configs: Any) -> None:
    """Saves a state dict, a tensor, or nested containers of tensors and plain values.

    The ending of the path chooses the format: `.safetensors` for a flat dict of tensors;
    every other one for Paddle's own (`.pdparams`, `.pdopt`), which Paddle reads. A file is
    written under a temporary name and moved, so a crash leaves the previous one.

    Args:
        obj (Any): what to save. A Layer is saved by its `state_dict()`.
        path (str | BytesIO): the file; its folder is made when it is missing.
        protocol (int): version of the pickle format, 2 to 4.
        configs: `use_binary_format=True` saves a tensor in Paddle's binary form; further
            options of Paddle are without effect here.

    Raises:
        InvalidArgumentError: `path` names no file, or `protocol` is out of range.
        InvalidTypeError: `obj` holds something that is neither a tensor nor plain.
        UnsupportedError: the format has no place for a dtype.

    Examples:
        >>> import tempfile
        >>> import proa
        >>> path = tempfile.mkdtemp() + "/weights.pdparams"
        >>> proa.save({"scale": proa.to_tensor([1.0, 2.0])}, path)
        >>> proa.load(path)["scale"].tolist()
        [1.0, 2.0]
    """
    if not isinstance(protocol, int) or isinstance(protocol, bool) or not 2 <= protocol <= 4:
        raise InvalidArgumentError(
            f"`protocol` is {protocol!r}", expected="2, 3 or 4", fix="leave it at 4"
        )
    is_raw = bool(configs.get("use_binary_format"))
    if isinstance(path, io.BytesIO):
        path.write(_packed(obj) if is_raw else pickle.dumps(_encode(obj), protocol))
        return
    target = _read_path(path)
    if is_raw:
        packed = _packed(obj)
        with replace_file(target) as temporary:
            temporary.write_bytes(packed)
        return
    if target.suffix == ".safetensors":
        _save_safetensors(obj, target)
        return
    encoded = _encode(obj)
    with replace_file(target) as temporary, temporary.open("wb") as file:
        pickle.dump(encoded, file, protocol)


def load(path: Any, **configs: Any) -> Any:
    """Loads what `save` or Paddle saved.

    Args:
        path (str | BytesIO): the file.
        configs: `return_numpy=True` gives NumPy arrays instead of Tensors (bfloat16 as
            uint16, as in the file); `keep_name_table=True` keeps the entry that maps keys to
            the names of the tensors.

    Returns:
        The same containers, with Tensors of the saved names and `stop_gradient=True`.

    Raises:
        NotFoundError: no such file.
        ArtifactError: truncated or altered; or the file holds Python objects other than
            arrays and plain values, which are refused without running anything.

    Examples:
        >>> import io
        >>> import proa
        >>> file = io.BytesIO()
        >>> proa.save([proa.ones([2]), "text", 3], file)
        >>> _ = file.seek(0)
        >>> proa.load(file)[1:]
        ['text', 3]
    """
    as_numpy = bool(configs.get("return_numpy"))
    if isinstance(path, io.BytesIO):
        read = _read(path, "the buffer")
    else:
        source = _read_path(path)
        if not source.is_file():
            raise NotFoundError(
                f"no file at {str(source)!r}",
                expected="a file saved by proa.save or by Paddle",
                fix=_near(source),
            )
        if source.suffix == ".safetensors":
            arrays, text = read_arrays(source, "file")
            names = json.loads(text.get("names", "{}"))
            return {
                key: array if as_numpy else _tensor(array, names.get(key))
                for key, array in arrays.items()
            }
        with source.open("rb") as file:
            read = _read(file, repr(str(source)))
    # Where Paddle wrote tensors with their names, an array beside them was an array.
    keeps_arrays = as_numpy or _has_named(read)
    return _decode(read, as_numpy, keeps_arrays, bool(configs.get("keep_name_table")))


def _read(file: IO[bytes], shown: str) -> Any:
    place = file.tell()
    start = file.read(_HEAD_BYTES)
    file.seek(place)
    return unpack_tensor(file.read(), shown) if is_binary(start) else load_plain(file, shown)


def _read_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise InvalidTypeError(
            f"`path` is a {type(path).__name__}",
            expected="a file path or a BytesIO",
            fix="pass a string such as 'out/model.pdparams'",
        )
    text = os.fspath(path)
    if not text or text.endswith(("/", os.sep)) or Path(text).is_dir():
        raise InvalidArgumentError(
            f"`path` is {text!r}, which names no file",
            expected="folder/filename",
            fix="write 'out/model.pdparams'",
        )
    return Path(text)


def _near(source: Path) -> str:
    if not source.parent.is_dir():
        return f"check the path: there is no folder {str(source.parent)!r}"
    found = sorted(p.name for p in source.parent.iterdir() if p.name.startswith(source.stem))
    return f"did you mean {', '.join(found[:5])}?" if found else "check the path"


# Paddle's files: arrays in pickles


def _packed(obj: Any) -> bytes:
    if not isinstance(obj, Tensor):
        raise InvalidTypeError(
            f"a {type(obj).__name__} cannot be saved with use_binary_format=True",
            expected="one Tensor",
            fix="leave use_binary_format out",
        )
    return pack_tensor(obj.numpy())


def _encode(obj: Any) -> Any:
    """Turns tensors into what Paddle's files hold for them."""
    if isinstance(obj, Mapping) and _is_flat(obj):
        return _encode_state(obj)
    return _replace(obj, _named, "obj")


def _is_flat(obj: Mapping[Any, Any]) -> bool:
    """Whether Paddle would write a table of names: it then looks for no tensors further in."""
    others = {key for key, value in obj.items() if not isinstance(value, Tensor)}
    return len(others) < len(obj) and others <= {"LR_Scheduler"}


def _encode_state(obj: Mapping[str, Any]) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    names: dict[str, str] = {}
    for key, value in obj.items():
        if isinstance(value, Tensor):
            names[key] = value.name
            encoded[key] = _file_array(value.numpy())
        else:
            encoded[key] = _replace(value, _named, f"obj[{key!r}]")
    encoded[NAME_TABLE] = names
    return encoded


class _Named:
    """A tensor inside a nested value: in the file, a tuple of its name and its array."""

    def __init__(self, name: str, array: np.ndarray) -> None:
        self.pair = (name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.pair,)


def _named(t: Tensor) -> _Named:
    return _Named(t.name, _file_array(t.numpy()))


def _file_array(array: np.ndarray) -> np.ndarray:
    if array.dtype == ml_dtypes.bfloat16:
        # NumPy has no bfloat16: Paddle's files hold its bits.
        return array.view(np.uint16)
    if array.dtype.type.__module__ == "ml_dtypes" or array.dtype == np.uint16:
        raise UnsupportedError(
            f"a tensor is {array.dtype}, for which Paddle's files have no form",
            expected="bfloat16 (stored as uint16), or another dtype that NumPy knows",
            fix="save a flat dict of tensors as '.safetensors'",
        )
    return array


def _replace(obj: Any, make: Callable[[Tensor], Any], where: str) -> Any:
    """Copies nested containers with every Tensor replaced."""
    if isinstance(obj, DenseTensor):
        return _Named(obj.tensor.name, _file_array(np.array(obj)))
    if isinstance(obj, Tensor):
        return make(obj)
    if isinstance(obj, np.ndarray):
        return _file_array(obj)
    if isinstance(obj, Mapping):
        made = {key: _replace(v, make, f"{where}[{key!r}]") for key, v in obj.items()}
        # Subclasses of other kinds would name a foreign class in the file.
        return OrderedDict(made) if isinstance(obj, OrderedDict) else made
    if isinstance(obj, list | tuple | set | frozenset):
        items = [_replace(v, make, f"{where}[{i}]") for i, v in enumerate(obj)]
        return next(kind for kind in _SEQUENCES if isinstance(obj, kind))(items)
    if isinstance(obj, _PLAIN):
        return obj
    has_state = hasattr(obj, "state_dict")
    raise InvalidTypeError(
        f"`{where}` is a {type(obj).__name__}",
        expected="Tensors, arrays, numbers, strings, and lists, tuples and dicts of them",
        fix="save its state_dict()" if has_state else "convert it to plain values first",
    )


def _decode(read: Any, as_numpy: bool, keeps_arrays: bool, keep_table: bool) -> Any:
    def again(value: Any) -> Any:
        return _decode(value, as_numpy, keeps_arrays, keep_table)

    if isinstance(read, dict):
        names = read.get(NAME_TABLE)
        made = {}
        for key, value in read.items():
            if key == NAME_TABLE:
                if keep_table:
                    made[key] = value
            elif isinstance(value, np.ndarray) and isinstance(names, dict):
                made[key] = value if as_numpy else _tensor(value, names.get(key))
            else:
                made[key] = again(value)
        return made if type(read) is dict else type(read)(made)
    if isinstance(read, np.ndarray):
        return read if keeps_arrays else _tensor(read, None)
    if isinstance(read, list):
        return [again(value) for value in read]
    if isinstance(read, tuple):
        if _is_named(read):
            return read[1] if as_numpy else _tensor(read[1], read[0])
        return tuple([again(value) for value in read])
    return read


def _has_named(read: Any) -> bool:
    """Whether a tensor with its name is in nested containers."""
    if isinstance(read, dict):
        return any(map(_has_named, read.values()))
    if isinstance(read, tuple) and _is_named(read):
        return True
    return isinstance(read, list | tuple) and any(map(_has_named, read))


def _is_named(read: tuple[Any, ...]) -> bool:
    return len(read) == 2 and isinstance(read[0], str) and isinstance(read[1], np.ndarray)


def _tensor(array: np.ndarray, name: str | None) -> Tensor | np.ndarray:
    if array.dtype.kind in "OSU":
        return array
    if array.dtype == np.uint16:
        array = array.view(ml_dtypes.bfloat16)
    made = to_tensor(array)
    if isinstance(name, str):
        made.name = name
    return made


# Safetensors


def _save_safetensors(obj: Any, target: Path) -> None:
    if not isinstance(obj, Mapping):
        raise InvalidTypeError(
            f"a {type(obj).__name__} cannot be saved as '.safetensors'",
            expected="a dict of tensors",
            fix="pass layer.state_dict(), or choose a path that ends in '.pdparams'",
        )
    arrays: dict[str, np.ndarray] = {}
    names: dict[str, str] = {}
    for key, value in obj.items():
        if not isinstance(key, str) or not isinstance(value, Tensor | np.ndarray):
            raise InvalidTypeError(
                f"entry {key!r} is a {type(value).__name__}, which '.safetensors' cannot hold",
                expected="a flat dict of tensors with string keys",
                fix="choose a path that ends in '.pdparams' or '.pdopt'",
            )
        if isinstance(value, Tensor):
            names[key] = value.name
        arrays[key] = value.numpy() if isinstance(value, Tensor) else value
    write_arrays(target, arrays, {"format": "np", "names": json.dumps(names)})

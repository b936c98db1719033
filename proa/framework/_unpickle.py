"""Reading pickles of arrays and plain values, and refusing everything else."""

from __future__ import annotations

import codecs
import collections
import pickle
from typing import IO, Any

import numpy as np

from proa.core import ArtifactError

# Pickle can call what the file names, so only these can be named: what pickles of arrays,
# NumPy scalars and plain containers are made of. None of them runs code of the file.
_PLAIN = (bytearray, complex, dict, frozenset, list, set, slice, tuple)
_RECONSTRUCT = np.zeros(1).__reduce__()[0]
_SCALAR = np.float32(0).__reduce__()[0]  # type: ignore[misc]
_FROM_BUFFER = np.zeros(1).__reduce_ex__(5)[0]  # type: ignore[index]
_ALLOWED: dict[tuple[str, str], Any] = {
    ("_codecs", "encode"): codecs.encode,
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("numpy", "dtype"): np.dtype,
    ("numpy", "ndarray"): np.ndarray,
    **{("builtins", kind.__name__): kind for kind in _PLAIN},
    # Python 2 called the module so, and protocol 2 still does.
    **{("__builtin__", kind.__name__): kind for kind in _PLAIN},
    # So protocol 2 writes that there are no bytes, as in an array without elements.
    ("__builtin__", "bytes"): bytes,
    # `numpy.core` before NumPy 2, `numpy._core` since.
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _RECONSTRUCT for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "scalar"): _SCALAR for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _FROM_BUFFER for core in ("core", "_core")},
}


class _Refused(pickle.UnpicklingError):
    """The file names something that is neither an array nor a plain value."""


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Returns an allowed global, and refuses every other one without importing it."""
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise _Refused(f"{module}.{name}") from None


def load_plain(file: IO[bytes], shown: str) -> Any:
    """Reads a pickle that may hold arrays, numbers, strings and plain containers.

    Args:
        file: a binary file.
        shown: how to call the file in messages.

    Raises:
        ArtifactError: it holds anything else (nothing of it has run then), is truncated, or
            is no pickle.
    """
    try:
        return _ArrayUnpickler(file, encoding="latin1").load()
    except _Refused as refused:
        raise ArtifactError(
            f"{shown} needs the Python object {str(refused)!r}, which loading it would run",
            expected="a file of arrays, numbers, strings and plain containers of them",
            fix="where the file comes from, save `layer.state_dict()` instead of whole objects",
        ) from None
    except Exception as error:
        # A damaged pickle can fail in any way: with a wrong opcode, key, type or size.
        raise ArtifactError(
            f"{shown} is truncated, altered or of another kind: {error}",
            expected="a whole file as proa.save or Paddle writes it",
            fix="copy it again, or use an earlier one",
        ) from error

"""Framework room: tensors and state dicts in files."""

from ._io import NAME_TABLE as NAME_TABLE
from ._io import load as load
from ._io import save as save
from ._replace import replace_file as replace_file
from ._safetensors import pack_arrays as pack_arrays
from ._safetensors import read_arrays as read_arrays
from ._safetensors import unpack_arrays as unpack_arrays
from ._safetensors import write_arrays as write_arrays

"""Proa's version."""

from ._libraries import cuda as cuda
from ._libraries import cuda_archs as cuda_archs
from ._libraries import cudnn as cudnn
from ._libraries import nccl as nccl
from ._libraries import tensorrt as tensorrt
from ._libraries import xpu as xpu
from ._libraries import xpu_xccl as xpu_xccl
from ._libraries import xpu_xhpc as xpu_xhpc
from ._libraries import xpu_xre as xpu_xre
from ._version import commit as commit
from ._version import full_version as full_version
from ._version import major as major
from ._version import minor as minor
from ._version import patch as patch
from ._version import rc as rc
from ._version import show as show

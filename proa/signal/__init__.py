"""Frames of signals and their transforms: the names of `paddle.signal`."""

from proa.ops._signal import frame as frame
from proa.ops._signal import istft as istft
from proa.ops._signal import overlap_add as overlap_add
from proa.ops._signal import stft as stft

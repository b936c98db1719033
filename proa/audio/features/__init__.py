"""Layers that compute features of sound."""

from ._layers import MFCC as MFCC
from ._layers import LogMelSpectrogram as LogMelSpectrogram
from ._layers import MelSpectrogram as MelSpectrogram
from ._layers import Spectrogram as Spectrogram

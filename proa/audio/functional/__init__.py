"""Frequencies, mel scales, filter banks, windows, decibels."""

from ._mel import compute_fbank_matrix as compute_fbank_matrix
from ._mel import create_dct as create_dct
from ._mel import fft_frequencies as fft_frequencies
from ._mel import hz_to_mel as hz_to_mel
from ._mel import mel_frequencies as mel_frequencies
from ._mel import mel_to_hz as mel_to_hz
from ._mel import power_to_db as power_to_db
from ._window import get_window as get_window

"""Rows for `paddle.audio`, `paddle.text` and `paddle.nn.utils`."""

from __future__ import annotations

from parity.table import Call, array, booleans, normal, positive

_F, _FEATURES = "paddle.audio.functional.", "paddle.audio.features."
_WINDOWS = "hann hamming blackman bartlett nuttall bohman cosine taylor triang rectangular".split()
_WAVE = normal(1, 600)

CALLS = (
    *(
        Call(_F + "get_window", name, length)
        for name in _WINDOWS
        if name not in ("nuttall", "bartlett", "rectangular")
        for length in (8, 9)
    ),
    Call(_F + "get_window", ("gaussian", 2.0), 8),
    Call(_F + "get_window", ("kaiser", 8.0), 8),
    Call(_F + "get_window", ("exponential", None, 1.0), 8),
    Call(_F + "get_window", "hann", 8, fftbins=False, dtype="float32"),
    Call(_F + "get_window", "unknown", 8, error=True),
    *(Call(_F + "hz_to_mel", value, htk) for value in (60.0, 4000.0) for htk in (False, True)),
    *(Call(_F + "mel_to_hz", value, htk) for value in (5.0, 40.0) for htk in (False, True)),
    Call(_F + "hz_to_mel", array([100.0, 2000.0], fixed=True)),
    Call(_F + "mel_to_hz", array([3.0, 30.0], fixed=True)),
    Call(_F + "mel_frequencies", 8, 0.0, 4000.0),
    Call(_F + "mel_frequencies", 8, 0.0, 4000.0, True),
    Call(_F + "fft_frequencies", 8000, 16),
    Call(_F + "compute_fbank_matrix", 8000, 64, n_mels=8),
    Call(_F + "compute_fbank_matrix", 8000, 64, n_mels=8, htk=True, norm=None, f_min=50.0),
    Call(_F + "create_dct", 5, 8),
    Call(_F + "create_dct", 5, 8, None),
    Call(_F + "power_to_db", positive(3, 4)),
    Call(_F + "power_to_db", positive(3, 4), ref_value=0.5, amin=1e-6, top_db=3.0),
    Call(_FEATURES + "Spectrogram", 64, 32, forward=(_WAVE,)),
    Call(_FEATURES + "Spectrogram", 64, 32, power=2.0, window="hamming", forward=(_WAVE,)),
    Call(_FEATURES + "MelSpectrogram", 8000, 64, 32, n_mels=8, forward=(_WAVE,)),
    Call(_FEATURES + "LogMelSpectrogram", 8000, 64, 32, n_mels=8, top_db=20.0, forward=(_WAVE,)),
    Call(_FEATURES + "MFCC", 8000, 5, 64, 32, n_mels=8, forward=(_WAVE,)),
    *(
        Call(
            "paddle.text.viterbi_decode",
            normal(2, 4, 3, fixed=True),
            normal(3, 3, fixed=True),
            array([4, 2]),
            include_bos_eos_tag=tag,
        )
        for tag in (False, True)
    ),
    Call(
        "paddle.text.ViterbiDecoder",
        normal(3, 3, fixed=True),
        include_bos_eos_tag=False,
        forward=(normal(2, 4, 3, fixed=True), array([4, 3])),
        grad=False,
    ),
    Call("paddle.nn.utils.parameters_to_vector", [normal(2, 3), normal(4)], grad=False),
    Call("paddle.nn.utils.weight_norm", Call("paddle.nn.Linear", 3, 2), forward=(normal(2, 3),)),
    Call(
        "paddle.nn.utils.weight_norm",
        Call("paddle.nn.Conv2D", 2, 3, 2),
        dim=None,
        forward=(normal(1, 2, 3, 3),),
    ),
    Call(
        "paddle.nn.utils.spectral_norm",
        Call("paddle.nn.Linear", 3, 2),
        forward=(normal(2, 3),),
        values=False,
        grad=False,
    ),
    Call("paddle.masked_select", normal(3), booleans(3)),
)

"""Rows for `paddle.fft`."""

from __future__ import annotations

from parity.table import Array, Call, complexes, float64, normal

_LINES: dict[str, tuple[Array, ...]] = {
    "fft": (normal(5), complexes(4), float64(2, 6)),
    "ifft": (normal(5), complexes(4), complexes(2, 6, dtype="complex128")),
    "rfft": (normal(5), normal(2, 6)),
    "irfft": (complexes(4), complexes(2, 3)),
    "hfft": (complexes(4), complexes(2, 3)),
    "ihfft": (normal(5), normal(2, 6)),
}
_PLANES: dict[str, tuple[Array, ...]] = {
    "fft2": (normal(3, 4), complexes(2, 3, 4)),
    "ifft2": (normal(3, 4), complexes(2, 3, 4)),
    "rfft2": (normal(3, 4), normal(2, 3, 5)),
    "irfft2": (complexes(3, 4), complexes(2, 3, 3)),
    "hfft2": (complexes(3, 4),),
    "ihfft2": (normal(3, 4),),
    "fftn": (normal(3, 4), complexes(2, 3, 2)),
    "ifftn": (normal(3, 4), complexes(2, 3, 2)),
    "rfftn": (normal(3, 4), normal(2, 3, 4)),
    "irfftn": (complexes(3, 4), complexes(2, 3, 3)),
    "hfftn": (complexes(3, 4),),
    "ihfftn": (normal(3, 4),),
}
_NORMS = ("backward", "forward", "ortho")
_OPTIONS = ({}, {"n": 3}, {"n": 8}, {"axis": 0})

CALLS = (
    *(
        Call(f"paddle.fft.{name}", x, **options)
        for name, arrays in _LINES.items()
        for x in arrays
        for options in _OPTIONS
    ),
    *(
        Call(f"paddle.fft.{name}", arrays[0], norm=norm)
        for name, arrays in {**_LINES, **_PLANES}.items()
        for norm in _NORMS
    ),
    *(
        Call(f"paddle.fft.{name}", x, **options)
        for name, arrays in _PLANES.items()
        for x in arrays
        for options in ({}, {"s": [2, 5]}, {"axes": [1, 0]}, {"s": [4, 3], "axes": [0, 1]})
    ),
    *(Call(f"paddle.fft.{name}", normal(3, 4)) for name in ("fftshift", "ifftshift")),
    *(
        Call(f"paddle.fft.{name}", *arguments)
        for name in ("fftfreq", "rfftfreq")
        for arguments in ((5,), (6, 0.5), (4, 2.0, "float64"))
    ),
    Call("paddle.fft.fft", normal(3), n=0, error=True),
    Call("paddle.fft.fft", normal(3), norm="other", error=True),
    Call("paddle.fft.fft", normal(3), axis=2, error=True),
)

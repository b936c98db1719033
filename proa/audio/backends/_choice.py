"""Which backend reads sound files: one for WAV, which needs nothing else installed."""

from __future__ import annotations

from proa.core import UnsupportedError

_WAVE = "wave_backend"


def list_available_backends() -> list[str]:
    """Names of the backends.

    Examples:
        >>> import proa
        >>> proa.audio.backends.list_available_backends()
        ['wave_backend']
    """
    return [_WAVE]


def get_current_backend() -> str:
    """Name of the backend in use.

    Examples:
        >>> import proa
        >>> proa.audio.backends.get_current_backend()
        'wave_backend'
    """
    return _WAVE


def set_backend(backend_name: str) -> None:
    """Chooses a backend.

    Args:
        backend_name: `"wave_backend"`.

    Raises:
        UnsupportedError: another one.

    Examples:
        >>> import proa
        >>> proa.audio.backends.set_backend("wave_backend")
    """
    if backend_name != _WAVE:
        raise UnsupportedError(
            f"audio backend {backend_name!r}",
            expected=f"{_WAVE!r}: WAV files of 16-bit integers",
            fix="convert the files to WAV, or read them yourself and pass arrays",
        )

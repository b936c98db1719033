"""Readers and writers of sound files."""

from ._choice import get_current_backend as get_current_backend
from ._choice import list_available_backends as list_available_backends
from ._choice import set_backend as set_backend
from ._wave import AudioInfo as AudioInfo
from ._wave import info as info
from ._wave import load as load
from ._wave import save as save

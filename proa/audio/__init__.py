"""Audio room: sound files, spectra and features of them, data sets of recordings."""

from . import backends as backends
from . import datasets as datasets
from . import features as features
from . import functional as functional
from .backends import info as info
from .backends import load as load
from .backends import save as save

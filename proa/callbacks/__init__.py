"""Callbacks room: what happens at the events of `Model.fit`, `evaluate` and `predict`."""

from ..model.callbacks import Callback as Callback
from ..model.callbacks import EarlyStopping as EarlyStopping
from ..model.callbacks import History as History
from ..model.callbacks import LRScheduler as LRScheduler
from ..model.callbacks import ModelCheckpoint as ModelCheckpoint
from ..model.callbacks import ProgBarLogger as ProgBarLogger
from ..model.callbacks import ReduceLROnPlateau as ReduceLROnPlateau
from ..model.callbacks import VisualDL as VisualDL

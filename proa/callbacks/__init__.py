"""Callbacks room: what happens at the events of `Model.fit`, `evaluate` and `predict`."""

from proa.model.callbacks import Callback as Callback
from proa.model.callbacks import EarlyStopping as EarlyStopping
from proa.model.callbacks import History as History
from proa.model.callbacks import LRScheduler as LRScheduler
from proa.model.callbacks import ModelCheckpoint as ModelCheckpoint
from proa.model.callbacks import ProgBarLogger as ProgBarLogger
from proa.model.callbacks import ReduceLROnPlateau as ReduceLROnPlateau
from proa.model.callbacks import VisualDL as VisualDL
from proa.model.callbacks import WandbCallback as WandbCallback

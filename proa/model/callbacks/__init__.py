"""Callbacks: what happens at the events of training, evaluation and prediction."""

from ._callback import Callback as Callback
from ._callback import CallbackList as CallbackList
from ._callback import checked_callbacks as checked_callbacks
from ._early_stopping import EarlyStopping as EarlyStopping
from ._history import History as History
from ._history import VisualDL as VisualDL
from ._lr_scheduler import LRScheduler as LRScheduler
from ._lr_scheduler import schedule_of as schedule_of
from ._model_checkpoint import ModelCheckpoint as ModelCheckpoint
from ._progress import ProgBarLogger as ProgBarLogger
from ._reduce_lr import ReduceLROnPlateau as ReduceLROnPlateau
from ._wandb import WandbCallback as WandbCallback

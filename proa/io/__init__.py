"""Reading data: datasets, samplers, and the loader that makes batches of them."""

from __future__ import annotations

from ._batch_sampler import BatchSampler as BatchSampler
from ._batch_sampler import DistributedBatchSampler as DistributedBatchSampler
from ._buckets import LengthBuckets as LengthBuckets
from ._buckets import LengthBucketSampler as LengthBucketSampler
from ._buckets import masked_mean as masked_mean
from ._collate import default_collate_fn as default_collate_fn
from ._collate import default_convert_fn as default_convert_fn
from ._dataloader import DataLoader as DataLoader
from ._dataset import ChainDataset as ChainDataset
from ._dataset import ComposeDataset as ComposeDataset
from ._dataset import ConcatDataset as ConcatDataset
from ._dataset import Dataset as Dataset
from ._dataset import IterableDataset as IterableDataset
from ._dataset import Subset as Subset
from ._dataset import TensorDataset as TensorDataset
from ._dataset import random_split as random_split
from ._errors import SampleError as SampleError
from ._errors import WorkerError as WorkerError
from ._errors import WorkerTimeoutError as WorkerTimeoutError
from ._random import sample_rng as sample_rng
from ._reader import batch as batch
from ._sampler import RandomSampler as RandomSampler
from ._sampler import Sampler as Sampler
from ._sampler import SequenceSampler as SequenceSampler
from ._sampler import SubsetRandomSampler as SubsetRandomSampler
from ._sampler import WeightedRandomSampler as WeightedRandomSampler
from ._worker import WorkerInfo as WorkerInfo
from ._worker import get_worker_info as get_worker_info

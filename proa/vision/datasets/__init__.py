"""Data sets of images, read from local files."""

from __future__ import annotations

from ._cifar import Cifar10 as Cifar10
from ._cifar import Cifar100 as Cifar100
from ._fashion_mnist import FASHION_MNIST_CLASSES as FASHION_MNIST_CLASSES
from ._fashion_mnist import FashionMNIST as FashionMNIST
from ._fashion_mnist import fashion_mnist_files as fashion_mnist_files
from ._files import IdxFiles as IdxFiles
from ._flowers import Flowers as Flowers
from ._folder import DatasetFolder as DatasetFolder
from ._folder import ImageFolder as ImageFolder
from ._mnist import MNIST as MNIST
from ._voc2012 import VOC2012 as VOC2012

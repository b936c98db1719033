"""Layers that imitate integers while a model trains."""

from ._quantized import QuantizedColumnParallelLinear as QuantizedColumnParallelLinear
from ._quantized import QuantizedConv2D as QuantizedConv2D
from ._quantized import QuantizedConv2DTranspose as QuantizedConv2DTranspose
from ._quantized import QuantizedLinear as QuantizedLinear
from ._quantized import QuantizedMatmul as QuantizedMatmul
from ._quantized import QuantizedRowParallelLinear as QuantizedRowParallelLinear
from ._scales import FakeQuantAbsMax as FakeQuantAbsMax
from ._scales import FakeQuantChannelWiseAbsMax as FakeQuantChannelWiseAbsMax
from ._scales import FakeQuantMAOutputScaleLayer as FakeQuantMAOutputScaleLayer
from ._scales import FakeQuantMovingAverageAbsMax as FakeQuantMovingAverageAbsMax
from ._scales import MAOutputScaleLayer as MAOutputScaleLayer
from ._scales import MovingAverageAbsMaxScale as MovingAverageAbsMaxScale
from ._scales import QuantStub as QuantStub

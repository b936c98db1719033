"""Discrete Fourier transforms: the names of `paddle.fft`."""

from proa.ops._fft import fft as fft
from proa.ops._fft import fft2 as fft2
from proa.ops._fft import fftn as fftn
from proa.ops._fft import fftshift as fftshift
from proa.ops._fft import hfft as hfft
from proa.ops._fft import hfft2 as hfft2
from proa.ops._fft import hfftn as hfftn
from proa.ops._fft import ifft as ifft
from proa.ops._fft import ifft2 as ifft2
from proa.ops._fft import ifftn as ifftn
from proa.ops._fft import ifftshift as ifftshift
from proa.ops._fft import ihfft as ihfft
from proa.ops._fft import ihfft2 as ihfft2
from proa.ops._fft import ihfftn as ihfftn
from proa.ops._fft import irfft as irfft
from proa.ops._fft import irfft2 as irfft2
from proa.ops._fft import irfftn as irfftn
from proa.ops._fft import rfft as rfft
from proa.ops._fft import rfft2 as rfft2
from proa.ops._fft import rfftn as rfftn

from ._frequencies import fftfreq as fftfreq
from ._frequencies import rfftfreq as rfftfreq

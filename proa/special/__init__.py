"""Special functions: the names of `paddle.special`, and those that belong with them."""

from proa.ops import digamma as digamma
from proa.ops import erf as erf
from proa.ops import erfinv as erfinv
from proa.ops import expm1 as expm1
from proa.ops import gammainc as gammainc
from proa.ops import gammaincc as gammaincc
from proa.ops import gammaln as gammaln
from proa.ops import i0 as i0
from proa.ops import i0e as i0e
from proa.ops import i1 as i1
from proa.ops import i1e as i1e
from proa.ops import log1p as log1p
from proa.ops import log_softmax as log_softmax
from proa.ops import logit as logit
from proa.ops import logsumexp as logsumexp
from proa.ops import multigammaln as multigammaln
from proa.ops import polygamma as polygamma

from ._softmax import softmax as softmax

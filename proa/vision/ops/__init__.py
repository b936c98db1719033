"""Operators of detectors: boxes, regions of interest, deformable convolution, YOLO."""

from __future__ import annotations

from proa.vision.models._blocks import ConvNormActivation as ConvNormActivation

from ._boxes import box_coder as box_coder
from ._boxes import prior_box as prior_box
from ._deform import DeformConv2D as DeformConv2D
from ._deform import deform_conv2d as deform_conv2d
from ._files import decode_jpeg as decode_jpeg
from ._files import read_file as read_file
from ._nms import matrix_nms as matrix_nms
from ._nms import nms as nms
from ._proposals import distribute_fpn_proposals as distribute_fpn_proposals
from ._proposals import generate_proposals as generate_proposals
from ._roi import PSRoIPool as PSRoIPool
from ._roi import RoIAlign as RoIAlign
from ._roi import RoIPool as RoIPool
from ._roi import psroi_pool as psroi_pool
from ._roi import roi_align as roi_align
from ._roi import roi_pool as roi_pool
from ._yolo import yolo_box as yolo_box
from ._yolo import yolo_loss as yolo_loss

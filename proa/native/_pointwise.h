// 1x1 convolution without stride: a product of matrices for each sample.
#pragma once

#include <cstdint>

#include "xla/ffi/api/ffi.h"

namespace proa {

struct Planes {
  int64_t batch, inputs, outputs, size;  // positions of a plane
};

// y[n, o, q] = sum over c of weight[o * by_output + c * by_input] * x[n, c, q]; one of the two
// strides is 1.
void PointwiseConvolution(xla::ffi::ThreadPool& pool, const Planes& p, const float* x,
                          const float* weight, int64_t by_output, int64_t by_input, float* y);

// weight[o, c] = sum over n and q of dy[n, o, q] * x[n, c, q].
void PointwiseWeightGradient(xla::ffi::ThreadPool& pool, const Planes& p, const float* x,
                             const float* dy, float* weight);

}  // namespace proa

// 3x3 convolution without stride or dilation, with 16 products where the direct form has 36
// (A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015: F(2x2, 3x3)).
#pragma once

#include <cstdint>

#include "xla/ffi/api/ffi.h"

namespace proa {

// y[n, o, i, j] = sum over c, a, b of x[n, c, i + a - top, j + b - left] * weight(o, c, a, b).
struct Windows {
  int64_t batch, inputs, outputs;  // channels
  int64_t height, width, out_height, out_width;
  int64_t top, left;
};

// A view of a weight array [.., .., 3, 3]: where output and input channels lie, and whether the
// taps are turned around.
struct Weights {
  const float* data;
  int64_t by_output, by_input;
  bool turned;
};

// Whether it takes less time than the direct form.
bool SuitsWinograd(const Windows& w);

void WinogradConvolution(xla::ffi::ThreadPool& pool, const Windows& w, const float* x,
                         const Weights& weights, float* y);

// weight[o, c, a, b] = sum over n, i, j of x[n, c, i + a - top, j + b - left] * dy[n, o, i, j].
void WinogradWeightGradient(xla::ffi::ThreadPool& pool, const Windows& w, const float* x,
                            const float* dy, float* weight);

}  // namespace proa

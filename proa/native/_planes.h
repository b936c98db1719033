// Planes of images, laid out so that a tap of a kernel is one offset.
//
// A plane is copied into a buffer with its padding, split by phase where the stride is not 1:
// element (i, j) of phase (a, b) is element (i * stride + a, j * stride + b) of the padded plane.
// A tap of the kernel then is one offset into one phase, and rows need no borders: all planes
// share one pitch, so that a convolution is a sum of shifted arrays. What falls between the
// rows is computed and thrown away. Without a stride the zeros to the right of a row are those
// to the left of the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace proa {

using Floats = xla::ffi::Buffer<xla::ffi::F32>;
using Result = xla::ffi::Result<Floats>;
using Sizes = xla::ffi::Span<const int64_t>;

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias));
typedef float Aligned __attribute__((vector_size(kLanes * sizeof(float))));

inline Lanes Load(const float* at) { return *reinterpret_cast<const Lanes*>(at); }
inline void Store(float* at, Lanes value) { *reinterpret_cast<Lanes*>(at) = value; }

inline int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

// Geometry of one convolution, the same for each plane.
struct Geometry {
  int64_t height, width;          // of the input
  int64_t out_height, out_width;  // of the output
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width;
  int64_t top, left;              // padding before
  int64_t dilation_height, dilation_width;

  int64_t pitch = 0;      // of a row in every buffer
  int64_t rows = 0;       // of a phase
  int64_t phase_size = 0; // elements of a phase, with room to read past its end
  int64_t flat = 0;       // elements of an output with its gaps, a multiple of kLanes
  int64_t reach = 0;      // largest offset of a tap inside its phase
  std::vector<int64_t> phases;   // per tap
  std::vector<int64_t> offsets;  // per tap, inside its phase

  // Takes the shapes [N, C, H, W] of input and output and [O, C, KH, KW] of the weight.
  xla::ffi::Error Set(Sizes x, Sizes weight, Sizes y, Sizes strides, Sizes padding,
                      Sizes dilations) {
    if (x.size() != 4 || weight.size() != 4 || y.size() != 4 || strides.size() != 2 ||
        padding.size() != 2 || dilations.size() != 2 || weight[0] != y[1] || x[1] == 0 ||
        weight[1] == 0 || x[1] % weight[1] != 0)
      return xla::ffi::Error::InvalidArgument("convolution of shapes that do not fit");
    height = x[2], width = x[3];
    out_height = y[2], out_width = y[3];
    kernel_height = weight[2], kernel_width = weight[3];
    stride_height = strides[0], stride_width = strides[1];
    top = padding[0], left = padding[1];
    dilation_height = dilations[0], dilation_width = dilations[1];
    Finish();
    return xla::ffi::Error::Success();
  }

  void Finish() {
    const int64_t high = (kernel_height - 1) * dilation_height;
    const int64_t wide = (kernel_width - 1) * dilation_width;
    if (stride_width == 1) {
      pitch = std::max(width + std::max(left, out_width + wide - left - width), out_width);
    } else {
      pitch = out_width + wide / stride_width;
    }
    rows = out_height + high / stride_height;
    flat = RoundUp(out_height * pitch, kLanes);
    for (int64_t y = 0; y < kernel_height; ++y) {
      for (int64_t x = 0; x < kernel_width; ++x) {
        const int64_t down = y * dilation_height, right = x * dilation_width;
        phases.push_back(down % stride_height * stride_width + right % stride_width);
        offsets.push_back(down / stride_height * pitch + right / stride_width);
        reach = std::max(reach, offsets.back());
      }
    }
    phase_size = std::max(rows * pitch, flat + reach) + kLanes;
  }

  int64_t taps() const { return kernel_height * kernel_width; }
  int64_t num_phases() const { return stride_height * stride_width; }
};

// Working memory of a piece: uninitialised floats. Up to kKept a thread keeps them for its next
// piece, one buffer per `which`; more are given back.
class Scratch {
 public:
  Scratch(int which, int64_t size) {
    if (size > kKept) {
      own_.reset(new float[size]);
      data_ = own_.get();
      return;
    }
    thread_local std::unique_ptr<float[]> kept[4];
    thread_local int64_t sizes[4] = {};
    if (sizes[which] < size) {
      kept[which].reset(new float[size]);
      sizes[which] = size;
    }
    data_ = kept[which].get();
  }
  operator float*() const { return data_; }

 private:
  static constexpr int64_t kKept = 8 * 1024 * 1024;
  std::unique_ptr<float[]> own_;
  float* data_;
};

// Copies elements of a plane to the places that they have in the phases.
inline void Spread(const Geometry& g, const float* plane, float* phases) {
  std::memset(phases, 0, sizeof(float) * g.num_phases() * g.phase_size);
  for (int64_t a = 0; a < g.stride_height; ++a) {
    for (int64_t b = 0; b < g.stride_width; ++b) {
      float* phase = phases + (a * g.stride_width + b) * g.phase_size;
      for (int64_t i = 0; i < g.rows; ++i) {
        const int64_t y = i * g.stride_height + a - g.top;
        if (y < 0 || y >= g.height) continue;
        const int64_t shift = b - g.left;
        int64_t first = shift >= 0 ? 0 : (-shift + g.stride_width - 1) / g.stride_width;
        int64_t last = (g.width - shift + g.stride_width - 1) / g.stride_width;
        last = std::min(last, g.pitch);
        const float* row = plane + y * g.width + shift;
        float* to = phase + i * g.pitch;
        if (g.stride_width == 1) {
          if (last > first) std::memcpy(to + first, row + first, sizeof(float) * (last - first));
        } else {
          for (int64_t j = first; j < last; ++j) to[j] = row[j * g.stride_width];
        }
      }
    }
  }
}

// The other way: elements of a plane from the phases that hold its gradient.
inline void Gather(const Geometry& g, const float* phases, float* plane) {
  for (int64_t y = 0; y < g.height; ++y) {
    const int64_t down = y + g.top, i = down / g.stride_height, a = down % g.stride_height;
    float* row = plane + y * g.width;
    if (i >= g.rows) {
      std::memset(row, 0, sizeof(float) * g.width);
      continue;
    }
    if (g.stride_width == 1) {
      const float* from = phases + a * g.phase_size + i * g.pitch + g.left;
      const int64_t known = std::max<int64_t>(0, std::min(g.width, g.pitch - g.left));
      std::memcpy(row, from, sizeof(float) * known);
      std::memset(row + known, 0, sizeof(float) * (g.width - known));
      continue;
    }
    for (int64_t x = 0; x < g.width; ++x) {
      const int64_t right = x + g.left, j = right / g.stride_width;
      const float* phase =
          phases + (a * g.stride_width + right % g.stride_width) * g.phase_size;
      row[x] = j < g.pitch ? phase[i * g.pitch + j] : 0.0f;
    }
  }
}

// An output's plane with gaps of zeros after each row, and zeros before and after all.
inline void Stretch(const Geometry& g, const float* plane, float* flat, int64_t before, int64_t size) {
  std::memset(flat, 0, sizeof(float) * size);
  for (int64_t i = 0; i < g.out_height; ++i)
    std::memcpy(flat + before + i * g.pitch, plane + i * g.out_width, sizeof(float) * g.out_width);
}

// The other way: an output's plane from one with gaps.
inline void Close(const Geometry& g, const float* flat, float* plane) {
  for (int64_t i = 0; i < g.out_height; ++i)
    std::memcpy(plane + i * g.out_width, flat + i * g.pitch, sizeof(float) * g.out_width);
}

}  // namespace proa

// A handler of two float32 arrays and one result.
#define PROA_CONVOLUTION(symbol, function)                                                \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(symbol, proa::function,                                   \
                                xla::ffi::Ffi::Bind()                                     \
                                    .Ctx<xla::ffi::ThreadPool>()                          \
                                    .Arg<proa::Floats>()                                  \
                                    .Arg<proa::Floats>()                                  \
                                    .Ret<proa::Floats>()                                  \
                                    .Attr<proa::Sizes>("strides")                         \
                                    .Attr<proa::Sizes>("padding")                         \
                                    .Attr<proa::Sizes>("dilations"))

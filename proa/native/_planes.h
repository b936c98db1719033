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

inline void Clear(float* data, int64_t size) { std::memset(data, 0, sizeof(float) * size); }

// The even elements of a row and the odd ones, `count` of each.
inline void Part(const float* __restrict row, int64_t count, float* __restrict even,
                 float* __restrict odd) {
  for (int64_t k = 0; k < count; ++k) even[k] = row[2 * k], odd[k] = row[2 * k + 1];
}

// The other way.
inline void Join(const float* __restrict even, const float* __restrict odd, int64_t count,
                 float* __restrict row) {
  for (int64_t k = 0; k < count; ++k) row[2 * k] = even[k], row[2 * k + 1] = odd[k];
}

// Where a row of a plane lies in the phases of its row, with a stride of 2: pairs of its elements,
// and the elements after them one by one.
struct Pairs {
  int64_t even, odd, count;  // offsets of elements 0 and 1 from the row's start in its first phase

  explicit Pairs(const Geometry& g)
      : even(g.left % 2 * g.phase_size + g.left / 2),
        odd((1 - g.left % 2) * g.phase_size + (g.left + 1) / 2),
        count(std::max<int64_t>(0, std::min(g.width / 2, g.pitch - (g.left + 1) / 2))) {}
};

// Copies elements of a plane to the places that they have in the phases. The places between them
// are left as they are: zeros, which one memset for all planes puts there.
inline void Spread(const Geometry& g, const float* plane, float* phases) {
  const Pairs pairs(g);
  for (int64_t y = 0; y < g.height; ++y) {
    const int64_t down = y + g.top, i = down / g.stride_height;
    if (i >= g.rows) break;
    const float* row = plane + y * g.width;
    float* to = phases + down % g.stride_height * g.stride_width * g.phase_size + i * g.pitch;
    if (g.stride_width == 1) {
      const int64_t known = std::max<int64_t>(0, std::min(g.width, g.pitch - g.left));
      std::memcpy(to + g.left, row, sizeof(float) * known);
      continue;
    }
    int64_t x = 0;
    if (g.stride_width == 2) {
      Part(row, pairs.count, to + pairs.even, to + pairs.odd);
      x = 2 * pairs.count;
    }
    for (; x < g.width; ++x) {
      const int64_t right = x + g.left, j = right / g.stride_width;
      if (j < g.pitch) to[right % g.stride_width * g.phase_size + j] = row[x];
    }
  }
}

// The other way: elements of a plane from the phases that hold its gradient.
inline void Gather(const Geometry& g, const float* phases, float* plane) {
  const Pairs pairs(g);
  for (int64_t y = 0; y < g.height; ++y) {
    const int64_t down = y + g.top, i = down / g.stride_height;
    float* row = plane + y * g.width;
    if (i >= g.rows) {
      std::memset(row, 0, sizeof(float) * g.width);
      continue;
    }
    const float* from =
        phases + down % g.stride_height * g.stride_width * g.phase_size + i * g.pitch;
    if (g.stride_width == 1) {
      const int64_t known = std::max<int64_t>(0, std::min(g.width, g.pitch - g.left));
      std::memcpy(row, from + g.left, sizeof(float) * known);
      std::memset(row + known, 0, sizeof(float) * (g.width - known));
      continue;
    }
    int64_t x = 0;
    if (g.stride_width == 2) {
      Join(from + pairs.even, from + pairs.odd, pairs.count, row);
      x = 2 * pairs.count;
    }
    for (; x < g.width; ++x) {
      const int64_t right = x + g.left, j = right / g.stride_width;
      row[x] = j < g.pitch ? from[right % g.stride_width * g.phase_size + j] : 0.0f;
    }
  }
}

// Puts gaps between the rows of an output's plane; they are left as they are, zeros from before.
inline void Stretch(const Geometry& g, const float* plane, float* flat) {
  for (int64_t i = 0; i < g.out_height; ++i)
    std::memcpy(flat + i * g.pitch, plane + i * g.out_width, sizeof(float) * g.out_width);
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

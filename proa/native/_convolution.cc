// Convolution of float32 images [N, C, H, W], forward and both gradients.
//
// Each of the three is a product of matrices that are never written down: a tile of sums is
// held in registers, and each step adds the product of a column of scalars and a row of
// vectors, both read where the planes already are (see _planes.h).

#include <vector>

#include "_parallel.h"
#include "_planes.h"
#include "_pointwise.h"
#include "_winograd.h"

namespace ffi = xla::ffi;

namespace proa {
namespace {

#if defined(__AVX512F__)
constexpr int kRows = 8;
#elif defined(__AVX__)
constexpr int kRows = 4;
#else
constexpr int kRows = 8;
#endif
constexpr int kColumns = 3;  // vectors

// Bytes of a thread's planes that stay near the processor, and of those that may be kept so
// that large weights are packed once.
constexpr int64_t kNear = 512 * 1024, kFar = 4 * 1024 * 1024;
// Positions whose gradients stay near the processor while all taps meet them.
constexpr int64_t kPositions = 512;

// Vectors of the next tile. Four are two and two: a tile of one waits for its own sums.
int NextWidth(int64_t vectors) {
  return vectors == 4 ? 2 : static_cast<int>(std::min<int64_t>(vectors, kColumns));
}

// to[m][i] = sum over k of factors[k][m] * from[offsets[k] + i], for one tile of i.
template <int kWide>
inline void Tile(const float* factors, const float* from, const int64_t* offsets, int64_t depth,
                 float* to, int64_t pitch) {
  Aligned sums[kRows][kWide] = {};
  for (int64_t k = 0; k < depth; ++k) {
    const float* row = from + offsets[k];
    Lanes columns[kWide];
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) columns[n] = Load(row + n * kLanes);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const float factor = factors[k * kRows + m];
#pragma GCC unroll 4
      for (int n = 0; n < kWide; ++n) sums[m][n] += factor * columns[n];
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) Store(to + m * pitch + n * kLanes, sums[m][n]);
}

// The same for all i below `size`, a multiple of kLanes.
void Multiply(const float* factors, const float* from, const int64_t* offsets, int64_t depth,
              float* to, int64_t pitch, int64_t size) {
  int64_t vectors = size / kLanes;
  for (int64_t i = 0; vectors > 0;) {
    const int wide = NextWidth(vectors);
    if (wide == 3)
      Tile<3>(factors, from + i, offsets, depth, to + i, pitch);
    else if (wide == 2)
      Tile<2>(factors, from + i, offsets, depth, to + i, pitch);
    else
      Tile<1>(factors, from + i, offsets, depth, to + i, pitch);
    i += wide * kLanes;
    vectors -= wide;
  }
}

// to[m][j] += sum over i of from[m][i] * rows[i][j], for kRows of m and kWide vectors of j.
template <int kWide>
inline void TileOfProducts(const float* const* from, const float* rows, int64_t row_pitch,
                           int64_t count, float* to, int64_t pitch) {
  Aligned sums[kRows][kWide];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) sums[m][n] = Load(to + m * pitch + n * kLanes);
  for (int64_t i = 0; i < count; ++i) {
    Lanes columns[kWide];
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) columns[n] = Load(rows + i * row_pitch + n * kLanes);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const float factor = from[m][i];
#pragma GCC unroll 4
      for (int n = 0; n < kWide; ++n) sums[m][n] += factor * columns[n];
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) Store(to + m * pitch + n * kLanes, sums[m][n]);
}

struct Shapes {
  int64_t batch, channels, outputs;

  Shapes(Sizes x, Sizes y) : batch(x[0]), channels(x[1]), outputs(y[1]) {}
};

// Whether the windows are those of _winograd.h, and small enough in number to gain by it.
bool HasWinograd(const Geometry& g, const Windows& w) {
  return g.kernel_height == 3 && g.kernel_width == 3 && g.num_phases() == 1 &&
         g.dilation_height == 1 && g.dilation_width == 1 && SuitsWinograd(w);
}

// Whether each output sees the input at its own place alone.
bool IsPointwise(const Geometry& g) {
  return g.taps() == 1 && g.num_phases() == 1 && g.top == 0 && g.left == 0 &&
         g.height == g.out_height && g.width == g.out_width;
}

// How work is cut: samples that share packed factors, and blocks of kRows rows.
struct Cut {
  int64_t samples, sample_groups, blocks, block_groups;

  Cut(int64_t batch, int64_t sample_bytes, int64_t weight_bytes, int64_t all_blocks,
      int64_t threads) {
    const int64_t room = weight_bytes > kNear && all_blocks >= 8 * threads ? kFar : kNear;
    samples = std::clamp<int64_t>(room / std::max<int64_t>(1, sample_bytes), 1, batch);
    sample_groups = (batch + samples - 1) / samples;
    const int64_t wanted = (4 * threads + sample_groups - 1) / sample_groups;
    blocks = std::max<int64_t>(std::min<int64_t>(2, all_blocks), all_blocks / wanted);
    block_groups = (all_blocks + blocks - 1) / blocks;
  }
  int64_t pieces() const { return sample_groups * block_groups; }
};

ffi::Error Forward(ffi::ThreadPool pool, Floats x, Floats weight, Result y, Sizes strides,
                   Sizes padding, Sizes dilations) {
  Geometry g;
  if (auto error = g.Set(x.dimensions(), weight.dimensions(), y->dimensions(), strides,
                         padding, dilations);
      error.failure())
    return error;
  const Shapes s(x.dimensions(), y->dimensions());
  if (IsPointwise(g)) {
    const Planes planes{s.batch, s.channels, s.outputs, g.height * g.width};
    PointwiseConvolution(pool, planes, x.typed_data(), weight.typed_data(), s.channels, 1,
                         y->typed_data());
    return ffi::Error::Success();
  }
  const Windows w{s.batch,      s.channels,  s.outputs, g.height, g.width,
                  g.out_height, g.out_width, g.top,     g.left};
  if (HasWinograd(g, w)) {
    const Weights view{weight.typed_data(), s.channels * 9, 9, false};
    WinogradConvolution(pool, w, x.typed_data(), view, y->typed_data());
    return ffi::Error::Success();
  }
  const int64_t depth = s.channels * g.taps(), channel_size = g.num_phases() * g.phase_size;
  const int64_t sample_size = s.channels * channel_size;
  std::vector<int64_t> offsets(depth);
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t tap = k % g.taps();
    offsets[k] = k / g.taps() * channel_size + g.phases[tap] * g.phase_size + g.offsets[tap];
  }
  const int64_t all_blocks = (s.outputs + kRows - 1) / kRows;
  const Cut cut(s.batch, sample_size * sizeof(float), weight.size_bytes(), all_blocks,
                pool.num_threads());
  Share(pool, cut.pieces(), [&](int64_t piece) {
    const int64_t first = piece / cut.block_groups * cut.samples;
    const int64_t samples = std::min(cut.samples, s.batch - first);
    const Scratch planes(0, samples * sample_size);
    const Scratch factors(1, depth * kRows);
    const Scratch tile(2, kRows * g.flat);
    Clear(planes, samples * sample_size);
    for (int64_t p = 0; p < samples * s.channels; ++p)
      Spread(g, x.typed_data() + (first * s.channels + p) * g.height * g.width,
             planes + p * channel_size);
    const int64_t begin = piece % cut.block_groups * cut.blocks;
    for (int64_t block = begin; block < std::min(begin + cut.blocks, all_blocks); ++block) {
      const int64_t rows = std::min<int64_t>(kRows, s.outputs - block * kRows);
      const float* own = weight.typed_data() + block * kRows * depth;
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t m = 0; m < kRows; ++m)
          factors[k * kRows + m] = m < rows ? own[m * depth + k] : 0.0f;
      for (int64_t sample = 0; sample < samples; ++sample) {
        Multiply(factors, planes + sample * sample_size, offsets.data(), depth, tile, g.flat,
                 g.flat);
        for (int64_t m = 0; m < rows; ++m) {
          float* to = y->typed_data() + ((first + sample) * s.outputs + block * kRows + m) *
                                            g.out_height * g.out_width;
          Close(g, tile + m * g.flat, to);
        }
      }
    }
  });
  return ffi::Error::Success();
}

// The gradient of the input: in each phase, a convolution of the output's gradient.
ffi::Error InputGradient(ffi::ThreadPool pool, Floats gradient, Floats weight, Result x,
                         Sizes strides, Sizes padding, Sizes dilations) {
  Geometry g;
  if (auto error = g.Set(x->dimensions(), weight.dimensions(), gradient.dimensions(), strides,
                         padding, dilations);
      error.failure())
    return error;
  const Shapes s(x->dimensions(), gradient.dimensions());
  if (IsPointwise(g)) {
    const Planes planes{s.batch, s.outputs, s.channels, g.height * g.width};
    PointwiseConvolution(pool, planes, gradient.typed_data(), weight.typed_data(), 1, s.channels,
                         x->typed_data());
    return ffi::Error::Success();
  }
  const Windows w{s.batch,  s.outputs, s.channels, g.out_height, g.out_width,
                  g.height, g.width,   2 - g.top,  2 - g.left};
  if (HasWinograd(g, w)) {
    const Weights view{weight.typed_data(), 9, s.channels * 9, true};
    WinogradConvolution(pool, w, gradient.typed_data(), view, x->typed_data());
    return ffi::Error::Success();
  }
  const int64_t wanted = RoundUp(g.rows * g.pitch, kLanes);
  const int64_t plane = g.reach + std::max(wanted, g.flat) + kLanes;
  const int64_t sample_size = s.outputs * plane;
  Geometry held = g;
  held.phase_size = wanted;
  std::vector<std::vector<int64_t>> taps(g.num_phases()), offsets(g.num_phases());
  int64_t deepest = 0;
  for (int64_t t = 0; t < g.taps(); ++t) taps[g.phases[t]].push_back(t);
  for (int64_t phase = 0; phase < g.num_phases(); ++phase) {
    for (int64_t o = 0; o < s.outputs; ++o)
      for (int64_t t : taps[phase])
        offsets[phase].push_back(o * plane + g.reach - g.offsets[t]);
    deepest = std::max<int64_t>(deepest, offsets[phase].size());
  }
  const int64_t all_blocks = (s.channels + kRows - 1) / kRows;
  const Cut cut(s.batch, sample_size * sizeof(float), weight.size_bytes(), all_blocks,
                pool.num_threads());
  const int64_t row_size = g.num_phases() * wanted;
  Share(pool, cut.pieces(), [&](int64_t piece) {
    const int64_t first = piece / cut.block_groups * cut.samples;
    const int64_t samples = std::min(cut.samples, s.batch - first);
    const Scratch planes(0, samples * sample_size);
    const Scratch factors(1, deepest * kRows);
    const Scratch phases(2, samples * kRows * row_size);
    Clear(planes, samples * sample_size);
    for (int64_t p = 0; p < samples * s.outputs; ++p)
      Stretch(g, gradient.typed_data() + (first * s.outputs + p) * g.out_height * g.out_width,
              planes + p * plane + g.reach);
    const int64_t begin = piece % cut.block_groups * cut.blocks;
    for (int64_t block = begin; block < std::min(begin + cut.blocks, all_blocks); ++block) {
      const int64_t rows = std::min<int64_t>(kRows, s.channels - block * kRows);
      for (int64_t phase = 0; phase < g.num_phases(); ++phase) {
        const std::vector<int64_t>& own = taps[phase];
        float* to = factors;
        for (int64_t o = 0; o < s.outputs; ++o)
          for (int64_t t : own)
            for (int64_t m = 0; m < kRows; ++m, ++to)
              *to = m < rows ? weight.typed_data()[(o * s.channels + block * kRows + m) *
                                                       g.taps() + t]
                             : 0.0f;
        for (int64_t sample = 0; sample < samples; ++sample)
          Multiply(factors, planes + sample * sample_size, offsets[phase].data(),
                   offsets[phase].size(), phases + sample * kRows * row_size + phase * wanted,
                   row_size, wanted);
      }
      for (int64_t sample = 0; sample < samples; ++sample)
        for (int64_t m = 0; m < rows; ++m)
          Gather(held, phases + (sample * kRows + m) * row_size,
                 x->typed_data() + ((first + sample) * s.channels + block * kRows + m) *
                                       g.height * g.width);
    }
  });
  return ffi::Error::Success();
}

// The gradient of the weight. Samples are added in their order, whoever computes them.
ffi::Error WeightGradient(ffi::ThreadPool pool, Floats x, Floats gradient, Result weight,
                          Sizes strides, Sizes padding, Sizes dilations) {
  Geometry g;
  if (auto error = g.Set(x.dimensions(), weight->dimensions(), gradient.dimensions(), strides,
                         padding, dilations);
      error.failure())
    return error;
  const Shapes s(x.dimensions(), gradient.dimensions());
  if (IsPointwise(g)) {
    const Planes planes{s.batch, s.channels, s.outputs, g.height * g.width};
    PointwiseWeightGradient(pool, planes, x.typed_data(), gradient.typed_data(),
                            weight->typed_data());
    return ffi::Error::Success();
  }
  const Windows w{s.batch,      s.channels,  s.outputs, g.height, g.width,
                  g.out_height, g.out_width, g.top,     g.left};
  if (HasWinograd(g, w)) {
    WinogradWeightGradient(pool, w, x.typed_data(), gradient.typed_data(), weight->typed_data());
    return ffi::Error::Success();
  }
  // The output's gradient with its channels last and zeros in the gaps: rows of vectors that
  // all pieces read.
  const int64_t positions = g.out_height * g.pitch, wide = RoundUp(s.outputs, kLanes);
  const Scratch rows(3, s.batch * positions * wide);
  Share(pool, s.batch * g.out_height, [&](int64_t piece) {
    const int64_t sample = piece / g.out_height, i = piece % g.out_height;
    const int64_t plane = g.out_height * g.out_width;
    const float* from = gradient.typed_data() + sample * s.outputs * plane + i * g.out_width;
    float* to = rows + (sample * positions + i * g.pitch) * wide;
    Clear(to + g.out_width * wide, (g.pitch - g.out_width) * wide);
    for (int64_t o = 0; o < wide; o += kLanes)
      for (int64_t j = 0; j < g.out_width; ++j)
        for (int64_t lane = o; lane < o + kLanes; ++lane)
          to[j * wide + lane] = lane < s.outputs ? from[lane * plane + j] : 0.0f;
  });
  const int64_t channel_size = g.num_phases() * g.phase_size, depth = s.channels * g.taps();
  // A piece takes whole tiles, as many as leave pieces for all threads and planes near.
  const int64_t threads = std::max<int64_t>(1, pool.num_threads());
  const int64_t tiles = (depth + kRows - 1) / kRows;
  const int64_t near = kNear / 2 / (channel_size * sizeof(float)) * g.taps() / kRows;
  const int64_t step = std::max<int64_t>(1, std::min(near, tiles / (2 * threads))) * kRows;
  Share(pool, (depth + step - 1) / step, [&](int64_t piece) {
    const int64_t begin_row = piece * step, end_row = std::min(begin_row + step, depth);
    const int64_t padded = RoundUp(end_row - begin_row, kRows);
    const int64_t first = begin_row / g.taps(), count = (end_row - 1) / g.taps() + 1 - first;
    const Scratch planes(0, count * channel_size);
    const Scratch sums(1, padded * wide);
    Clear(planes, count * channel_size);
    Clear(sums, padded * wide);
    std::vector<const float*> taps(padded);
    for (int64_t k = 0; k < padded; ++k) {
      const int64_t known = std::min(begin_row + k, end_row - 1), tap = known % g.taps();
      taps[k] = planes + (known / g.taps() - first) * channel_size +
                g.phases[tap] * g.phase_size + g.offsets[tap];
    }
    for (int64_t sample = 0; sample < s.batch; ++sample) {
      for (int64_t c = 0; c < count; ++c)
        Spread(g, x.typed_data() + (sample * s.channels + first + c) * g.height * g.width,
               planes + c * channel_size);
      for (int64_t begin = 0; begin < positions; begin += kPositions) {
        const float* row = rows + (sample * positions + begin) * wide;
        const int64_t size = std::min(kPositions, positions - begin);
        for (int64_t k = 0; k < padded; k += kRows) {
          const float* from[kRows];
          for (int m = 0; m < kRows; ++m) from[m] = taps[k + m] + begin;
          int64_t o = 0;
          for (int64_t vectors = wide / kLanes; vectors > 0;) {
            const int now = NextWidth(vectors);
            float* to = sums + k * wide + o;
            if (now == 3)
              TileOfProducts<3>(from, row + o, wide, size, to, wide);
            else if (now == 2)
              TileOfProducts<2>(from, row + o, wide, size, to, wide);
            else
              TileOfProducts<1>(from, row + o, wide, size, to, wide);
            o += now * kLanes;
            vectors -= now;
          }
        }
      }
    }
    for (int64_t o = 0; o < s.outputs; ++o)
      for (int64_t k = begin_row; k < end_row; ++k)
        weight->typed_data()[o * depth + k] = sums[(k - begin_row) * wide + o];
  });
  return ffi::Error::Success();
}

}  // namespace
}  // namespace proa

PROA_CONVOLUTION(proa_convolution, Forward);
PROA_CONVOLUTION(proa_convolution_input_gradient, InputGradient);
PROA_CONVOLUTION(proa_convolution_weight_gradient, WeightGradient);

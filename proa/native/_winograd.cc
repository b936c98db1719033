// See _winograd.h. Tiles of 2x2 outputs see 4x4 inputs. Inputs and weights are transformed to 16
// matrices each, which are multiplied, and the products are transformed back. Between, channels
// come last, so that a vector holds channels.

#include "_winograd.h"

#include "_parallel.h"
#include "_planes.h"
#include "_tiles.h"

namespace ffi = xla::ffi;

namespace proa {
namespace {

constexpr int kPoints = 16;
// Bytes of transformed inputs and products that a piece holds near the processor, and that a
// weight gradient holds between its phases.
constexpr int64_t kNear = 640 * 1024, kBetween = 8 * 1024 * 1024;
// Output channels whose products are held at once.
constexpr int64_t kGroup = 64;

// Rows [first, first + count) of images, channels last and `left` columns of zeros before, so
// that to[i][j][c] is image[c][first + i][j - left] or zero.
void ToChannelsLast(const float* image, int64_t channels, int64_t height, int64_t width,
                    int64_t first, int64_t count, int64_t left, int64_t columns, int64_t pitch,
                    float* to) {
  const int64_t begin = std::max<int64_t>(0, left);
  const int64_t end = std::max(begin, std::min(columns, width + left));
  for (int64_t i = 0; i < count; ++i, to += columns * pitch) {
    const int64_t row = first + i;
    if (row < 0 || row >= height) {
      std::memset(to, 0, sizeof(float) * columns * pitch);
      continue;
    }
    std::memset(to, 0, sizeof(float) * std::min(begin, columns) * pitch);
    if (end < columns) std::memset(to + end * pitch, 0, sizeof(float) * (columns - end) * pitch);
    for (int64_t c = 0; c < channels; c += kLanes)
      for (int64_t j = begin; j < end; j += kLanes)
        TransposeBlock(image + (c * height + row) * width + j - left, height * width,
                       std::min<int64_t>(kLanes, channels - c), std::min<int64_t>(kLanes, end - j),
                       to + j * pitch + c, pitch, true);
  }
}

inline void Spread4(Aligned a, Aligned b, Aligned c, Aligned d, Aligned* to, int step) {
  to[0] = a - c;
  to[step] = b + c;
  to[2 * step] = c - b;
  to[3 * step] = b - d;
}

// One tile of inputs, 4x4 elements of kLanes channels, to its 16 points.
inline void TransformInput(const float* from, int64_t row, int64_t column, float* to,
                           int64_t point) {
  Aligned half[kPoints], whole[kPoints];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j)
    Spread4(Load(from + j * column), Load(from + row + j * column),
            Load(from + 2 * row + j * column), Load(from + 3 * row + j * column), half + j, 4);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    Spread4(half[4 * i], half[4 * i + 1], half[4 * i + 2], half[4 * i + 3], whole + 4 * i, 1);
#pragma GCC unroll 16
  for (int p = 0; p < kPoints; ++p) Store(to + p * point, whole[p]);
}

// One tile of output gradients, 2x2 elements, to its 16 points.
inline void TransformGradient(const float* from, int64_t row, int64_t column, float* to,
                              int64_t point) {
  Aligned half[8], whole[kPoints];
#pragma GCC unroll 2
  for (int j = 0; j < 2; ++j) {
    const Aligned a = Load(from + j * column), b = Load(from + row + j * column);
    half[j] = a, half[2 + j] = a + b, half[4 + j] = a - b, half[6 + j] = -b;
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Aligned a = half[2 * i], b = half[2 * i + 1];
    whole[4 * i] = a, whole[4 * i + 1] = a + b, whole[4 * i + 2] = a - b, whole[4 * i + 3] = -b;
  }
#pragma GCC unroll 16
  for (int p = 0; p < kPoints; ++p) Store(to + p * point, whole[p]);
}

// The 16 points of a tile back to its 2x2 outputs.
inline void TransformOutput(const float* from, int64_t point, float* to, int64_t row,
                            int64_t column) {
  Aligned half[8];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const Aligned a = Load(from + j * point), b = Load(from + (4 + j) * point),
                  c = Load(from + (8 + j) * point), d = Load(from + (12 + j) * point);
    half[j] = a + b + c, half[4 + j] = b - c - d;
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    const Aligned* h = half + 4 * i;
    Store(to + i * row, h[0] + h[1] + h[2]);
    Store(to + i * row + column, h[1] - h[2] - h[3]);
  }
}

// Three taps to four points, and the other way for gradients.
inline void Grow(Aligned a, Aligned b, Aligned c, Aligned* to, int step) {
  const Aligned outer = 0.5f * (a + c), inner = 0.5f * b;
  to[0] = a, to[step] = outer + inner, to[2 * step] = outer - inner, to[3 * step] = c;
}

inline void Shrink(Aligned a, Aligned b, Aligned c, Aligned d, Aligned* to, int step) {
  const Aligned sum = 0.5f * (b + c);
  to[0] = a + sum, to[step] = 0.5f * (b - c), to[2 * step] = sum + d;
}

struct Tiling {
  int64_t down, across, rows, inputs, outputs, panels;

  explicit Tiling(const Windows& w)
      : down((w.out_height + 1) / 2),
        across((w.out_width + 1) / 2),
        rows(w.batch * down),
        inputs(RoundUp(w.inputs, kLanes)),
        outputs(RoundUp(w.outputs, kPanel)),
        panels(outputs / kPanel) {}
};

// Calls visit(sample, first row of tiles, count, tiles before) for what [begin, end) is of each
// sample.
template <typename Visit>
void ForSamples(const Tiling& t, int64_t begin, int64_t end, Visit visit) {
  for (int64_t row = begin; row < end;) {
    const int64_t first = row % t.down, count = std::min(end - row, t.down - first);
    visit(row / t.down, first, count, (row - begin) * t.across);
    row += count;
  }
}

// Transforms rows of tiles of x; to[p][tile][c], the points `point` elements apart.
void TransformInputs(const Windows& w, const Tiling& t, const float* x, int64_t begin,
                     int64_t end, float* held, float* to, int64_t point) {
  const int64_t columns = 2 * t.across + 2, row = columns * t.inputs;
  ForSamples(t, begin, end, [&](int64_t sample, int64_t first, int64_t count, int64_t tile) {
    ToChannelsLast(x + sample * w.inputs * w.height * w.width, w.inputs, w.height, w.width,
                   2 * first - w.top, 2 * count + 2, w.left, columns, t.inputs, held);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < t.across; ++j, ++tile)
        for (int64_t c = 0; c < t.inputs; c += kLanes)
          TransformInput(held + 2 * i * row + 2 * j * t.inputs + c, row, t.inputs,
                         to + tile * t.inputs + c, point);
  });
}

// Taps of `count` input channels, at most kLanes: to[c][tap][lane] for `lanes` output channels.
void GatherTaps(const Weights& weights, int64_t output, int64_t lanes, int64_t input,
                int64_t count, float* to) {
  const float* from = weights.data + output * weights.by_output + input * weights.by_input;
  if (weights.by_input == 9 && !weights.turned) {
    for (int64_t i = 0; i < 9 * count; i += kLanes)
      TransposeBlock(from + i, weights.by_output, lanes, std::min<int64_t>(kLanes, 9 * count - i),
                     to + i * kLanes, kLanes, true);
    return;
  }
  std::memset(to, 0, sizeof(float) * count * 9 * kLanes);
  for (int64_t c = 0; c < count; ++c)
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int k = 0; k < 9; ++k)
        to[(c * 9 + k) * kLanes + lane] = from[lane * weights.by_output + c * weights.by_input +
                                               (weights.turned ? 8 - k : k)];
}

// to[p][panel][c][kPanel] of the weights.
void TransformWeights(ffi::ThreadPool& pool, const Windows& w, const Tiling& t,
                      const Weights& weights, float* to) {
  const int64_t point = t.panels * w.inputs * kPanel;
  Share(pool, t.panels * kWide, [&](int64_t piece) {
    const int64_t first = piece * kLanes;
    const int64_t lanes = std::clamp<int64_t>(w.outputs - first, 0, kLanes);
    alignas(64) float gathered[9 * kLanes * kLanes];
    for (int64_t begin = 0; begin < w.inputs; begin += kLanes) {
      const int64_t count = std::min<int64_t>(kLanes, w.inputs - begin);
      GatherTaps(weights, first, lanes, begin, count, gathered);
      for (int64_t c = 0; c < count; ++c) {
        const float* taps = gathered + c * 9 * kLanes;
        Aligned half[12], whole[kPoints];
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j)
          Grow(Load(taps + j * kLanes), Load(taps + (3 + j) * kLanes),
               Load(taps + (6 + j) * kLanes), half + j, 3);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i)
          Grow(half[3 * i], half[3 * i + 1], half[3 * i + 2], whole + 4 * i, 1);
        float* place = to + (first / kPanel * w.inputs + begin + c) * kPanel + first % kPanel;
#pragma GCC unroll 16
        for (int p = 0; p < kPoints; ++p) Store(place + p * point, whole[p]);
      }
    }
  });
}

// Writes rows of tiles of a group of output channels: held[i][j][c] to y's planes.
void ToPlanes(const Windows& w, const float* held, int64_t columns, int64_t pitch, int64_t first,
              int64_t count, int64_t channels, float* y) {
  for (int64_t i = first; i < std::min(first + count, w.out_height); ++i, held += columns * pitch)
    for (int64_t c = 0; c < channels; c += kLanes)
      for (int64_t j = 0; j < w.out_width; j += kLanes)
        TransposeBlock(held + j * pitch + c, pitch, std::min<int64_t>(kLanes, w.out_width - j),
                       std::min<int64_t>(kLanes, channels - c),
                       y + (c * w.out_height + i) * w.out_width + j, w.out_height * w.out_width,
                       false);
}

}  // namespace

bool SuitsWinograd(const Windows& w) {
  const Tiling t(w);
  return w.inputs >= 32 && w.outputs >= 32 && t.rows * t.across >= 64;
}

void WinogradConvolution(ffi::ThreadPool& pool, const Windows& w, const float* x,
                         const Weights& weights, float* y) {
  const Tiling t(w);
  const int64_t weight_point = t.panels * w.inputs * kPanel;
  const Scratch transformed(3, kPoints * weight_point);
  TransformWeights(pool, w, t, weights, transformed);

  const int64_t group = std::min(RoundUp(kGroup, kPanel), t.outputs);
  const int64_t tile_bytes = kPoints * sizeof(float) * (t.inputs + group);
  const int64_t threads = std::max<int64_t>(1, pool.num_threads());
  int64_t step = std::max<int64_t>(1, std::max<int64_t>(32, kNear / tile_bytes) / t.across);
  step = std::max<int64_t>(1, std::min(step, t.rows / (4 * threads)));
  Share(pool, (t.rows + step - 1) / step, [&](int64_t piece) {
    const int64_t begin = piece * step, end = std::min(begin + step, t.rows);
    const int64_t tiles = (end - begin) * t.across;
    const int64_t columns = 2 * t.across;
    const Scratch held(0, (2 * step + 2) * (columns + 2) * std::max(t.inputs, group));
    const Scratch points(1, kPoints * tiles * t.inputs);
    const Scratch products(2, kPoints * tiles * group);
    TransformInputs(w, t, x, begin, end, held, points, tiles * t.inputs);
    for (int64_t first = 0; first < t.outputs; first += group) {
      const int64_t wide = std::min(group, t.outputs - first);
      for (int64_t p = 0; p < kPoints; ++p)
        for (int64_t o = 0; o < wide; o += kPanel)
          Tiles(points + p * tiles * t.inputs, t.inputs, 1,
                       transformed + p * weight_point + (first + o) * w.inputs, w.inputs, tiles,
                       products + p * tiles * group + o, group, false);
      ForSamples(t, begin, end, [&](int64_t sample, int64_t top, int64_t count, int64_t tile) {
        for (int64_t i = 0; i < count; ++i)
          for (int64_t j = 0; j < t.across; ++j, ++tile)
            for (int64_t o = 0; o < wide; o += kLanes)
              TransformOutput(products + tile * group + o, tiles * group,
                              held + (2 * i * columns + 2 * j) * group + o, columns * group,
                              group);
        ToPlanes(w, held, columns, group, 2 * top, 2 * count,
                 std::min(wide, w.outputs - first),
                 y + (sample * w.outputs + first) * w.out_height * w.out_width);
      });
    }
  });
}

void WinogradWeightGradient(ffi::ThreadPool& pool, const Windows& w, const float* x,
                            const float* dy, float* weight) {
  const Tiling t(w);
  const int64_t threads = std::max<int64_t>(1, pool.num_threads());
  const int64_t tile_bytes = kPoints * sizeof(float) * (t.inputs + t.outputs);
  const int64_t rows =
      std::clamp<int64_t>(kBetween / tile_bytes / t.across, std::min<int64_t>(4, t.rows), t.rows);
  const int64_t tiles = rows * t.across, sums_size = kPoints * t.inputs * t.outputs;
  const Scratch shared(3, sums_size + kPoints * tiles * (t.inputs + t.outputs));
  float* sums = shared;
  float* points = sums + sums_size;
  float* gradients = points + kPoints * tiles * t.inputs;
  const int64_t parts = std::max<int64_t>(1, std::min(t.inputs / kTall, threads / 4));
  const int64_t part = RoundUp((t.inputs + parts - 1) / parts, kTall);
  for (int64_t begin = 0; begin < t.rows; begin += rows) {
    const int64_t end = std::min(begin + rows, t.rows), now = (end - begin) * t.across;
    const int64_t step = std::max<int64_t>(1, std::min<int64_t>(4, (end - begin) / (2 * threads)));
    Share(pool, (end - begin + step - 1) / step, [&](int64_t piece) {
      const int64_t from = begin + piece * step, to = std::min(from + step, end);
      const int64_t columns = 2 * t.across, before = (from - begin) * t.across;
      const Scratch held(0, (2 * step + 2) * (columns + 2) * std::max(t.inputs, t.outputs));
      TransformInputs(w, t, x, from, to, held, points + before * t.inputs, tiles * t.inputs);
      ForSamples(t, from, to, [&](int64_t sample, int64_t top, int64_t count, int64_t tile) {
        ToChannelsLast(dy + sample * w.outputs * w.out_height * w.out_width, w.outputs,
                       w.out_height, w.out_width, 2 * top, 2 * count, 0, columns, t.outputs, held);
        if (w.outputs <= t.outputs - kLanes)  // the last panel's lanes beyond all channels
          for (int64_t i = 0; i < 2 * count * columns; ++i)
            std::memset(held + i * t.outputs + RoundUp(w.outputs, kLanes), 0,
                        sizeof(float) * (t.outputs - RoundUp(w.outputs, kLanes)));
        for (int64_t i = 0; i < count; ++i)
          for (int64_t j = 0; j < t.across; ++j, ++tile)
            for (int64_t o = 0; o < t.outputs; o += kLanes)
              TransformGradient(held + (2 * i * columns + 2 * j) * t.outputs + o,
                                columns * t.outputs, t.outputs,
                                gradients + (o / kPanel * tiles + before + tile) * kPanel +
                                    o % kPanel,
                                tiles * t.outputs);
      });
    });
    Share(pool, kPoints * parts, [&](int64_t piece) {
      const int64_t p = piece / parts, first = piece % parts * part;
      const int64_t count = std::min(part, t.inputs - first);
      if (count <= 0) return;
      for (int64_t panel = 0; panel < t.panels; ++panel)
        Tiles(points + p * tiles * t.inputs + first, 1, t.inputs,
                     gradients + p * tiles * t.outputs + panel * tiles * kPanel, now, count,
                     sums + (p * t.inputs + first) * t.outputs + panel * kPanel, t.outputs,
                     begin > 0);
    });
  }
  Share(pool, (w.outputs + kLanes - 1) / kLanes, [&](int64_t piece) {
    const int64_t first = piece * kLanes, point = t.inputs * t.outputs;
    const int64_t lanes = std::min<int64_t>(kLanes, w.outputs - first);
    alignas(64) float taps[9 * kLanes * kLanes];
    for (int64_t begin = 0; begin < w.inputs; begin += kLanes) {
      const int64_t count = std::min<int64_t>(kLanes, w.inputs - begin);
      for (int64_t c = 0; c < count; ++c) {
        const float* from = sums + (begin + c) * t.outputs + first;
        Aligned half[12], whole[9];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j)
          Shrink(Load(from + j * point), Load(from + (4 + j) * point),
                 Load(from + (8 + j) * point), Load(from + (12 + j) * point), half + j, 4);
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i)
          Shrink(half[4 * i], half[4 * i + 1], half[4 * i + 2], half[4 * i + 3], whole + 3 * i, 1);
#pragma GCC unroll 9
        for (int k = 0; k < 9; ++k) Store(taps + (c * 9 + k) * kLanes, whole[k]);
      }
      for (int64_t i = 0; i < 9 * count; i += kLanes)
        TransposeBlock(taps + i * kLanes, kLanes, std::min<int64_t>(kLanes, 9 * count - i), lanes,
                       weight + (first * w.inputs + begin) * 9 + i, w.inputs * 9, false);
    }
  });
}

}  // namespace proa

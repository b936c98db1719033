// Convolution of float32 images [N, C, H, W] for inference: forward only, with what follows it
// (a bias, another image that is added, an activation) done while the sums are in registers.
//
// Dense weights come packed: [ceil(O / 8), C * taps, 8], so that a step of the product reads
// eight of them from one place. What they meet is packed here, a panel of some vectors of
// positions at a time, and stays near the processor while all weights pass over it.

#include <vector>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "_parallel.h"
#include "_planes.h"

namespace ffi = xla::ffi;

namespace proa {
namespace {

constexpr int kPacked = 8;  // rows of a block of packed weights
#if defined(__AVX512F__)
constexpr int kRows = 8;
#else
constexpr int kRows = 4;
#endif
constexpr int kColumns = 3;  // vectors of the widest tile

// Bytes of panels that stay near the processor while the weights pass.
constexpr int64_t kNear = 256 * 1024, kMost = 640 * 1024, kPlanes = 384 * 1024;
// Multiplications that are worth another thread's attention: about five microseconds.
constexpr int64_t kWorthSharing = 256 * 1024;

// The same numbers stand in proa/ops/_conv_fused.py.
enum Activation : int64_t { kNone, kRelu, kClip, kHardSwish, kHardSigmoid, kLeaky };

#if defined(__AVX512F__)
inline __mmask16 Mask(int64_t count) { return static_cast<__mmask16>((1u << count) - 1); }
inline Aligned LoadSome(const float* at, int64_t count) {
  return (Aligned)_mm512_maskz_loadu_ps(Mask(count), at);
}
inline void StoreSome(float* at, Aligned value, int64_t count) {
  _mm512_mask_storeu_ps(at, Mask(count), (__m512)value);
}
#else
inline Aligned LoadSome(const float* at, int64_t count) {
  Aligned value = {};
  for (int64_t i = 0; i < count; ++i) value[i] = at[i];
  return value;
}
inline void StoreSome(float* at, Aligned value, int64_t count) {
  for (int64_t i = 0; i < count; ++i) at[i] = value[i];
}
#endif

// Comparisons are written so that NaN stays NaN.
template <int64_t kKind>
inline Aligned Activate(Aligned v, float alpha, float beta) {
  const Aligned zero = {}, low = zero + alpha, high = zero + beta, one = zero + 1.0f;
  if constexpr (kKind == kRelu) return v < zero ? zero : v;
  if constexpr (kKind == kClip) {
    v = v < low ? low : v;
    return v > high ? high : v;
  }
  if constexpr (kKind == kHardSwish || kKind == kHardSigmoid) {
    Aligned gate = v * alpha + beta;
    gate = gate < zero ? zero : gate;
    gate = gate > one ? one : gate;
    // Not v * gate where that is 0: v may be minus infinity.
    return kKind == kHardSigmoid ? gate : gate <= zero ? zero : v * gate;
  }
  if constexpr (kKind == kLeaky) return v < zero ? v * alpha : v;
  return v;
}

// What is done with a sum before it is stored.
struct Epilogue {
  int64_t kind;
  float alpha, beta;
  const float* bias;    // one per output channel
  const float* added;   // an image like the output, or null
  float* to;

  // Finishes `count` sums that lie side by side in the output, from element `at` on.
  void Run(const float* sums, float bias_value, int64_t at, int64_t count) const {
    switch (kind) {
      case kRelu: return Store<kRelu>(sums, bias_value, at, count);
      case kClip: return Store<kClip>(sums, bias_value, at, count);
      case kHardSwish: return Store<kHardSwish>(sums, bias_value, at, count);
      case kHardSigmoid: return Store<kHardSigmoid>(sums, bias_value, at, count);
      case kLeaky: return Store<kLeaky>(sums, bias_value, at, count);
      default: return Store<kNone>(sums, bias_value, at, count);
    }
  }

 private:
  template <int64_t kKind>
  void Store(const float* sums, float bias_value, int64_t at, int64_t count) const {
    float* out = to + at;
    const float* other = added == nullptr ? nullptr : added + at;
    for (int64_t i = 0; i < count; i += kLanes) {
      const int64_t some = std::min<int64_t>(kLanes, count - i);
      Aligned value = LoadSome(sums + i, some) + bias_value;
      if (other != nullptr) value += LoadSome(other + i, some);
      StoreSome(out + i, Activate<kKind>(value, alpha, beta), some);
    }
  }
};

int NextWidth(int64_t vectors) {
  return vectors == 4 ? 2 : static_cast<int>(std::min<int64_t>(vectors, kColumns));
}

// sums[m][i] = sum over k of weights[k][m] * panel[k][i]; with offsets, row k of the panel lies
// at offsets[k].
template <int kWide, bool kSpread>
inline void Tile(const float* weights, const float* panel, const int64_t* offsets, int64_t depth,
                 float* sums) {
  Aligned held[kRows][kWide] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Aligned columns[kWide];
    const float* row = panel + (kSpread ? offsets[k] : k * kWide * kLanes);
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) columns[n] = Load(row + n * kLanes);
    // The next block's weights, which are read for the first time in this run.
    __builtin_prefetch(weights + (depth + k) * kPacked);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const float factor = weights[k * kPacked + m];
#pragma GCC unroll 4
      for (int n = 0; n < kWide; ++n) held[m][n] += factor * columns[n];
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) Store(sums + (m * kWide + n) * kLanes, held[m][n]);
}

template <bool kSpread>
void AnyTile(int wide, const float* weights, const float* panel, const int64_t* offsets,
             int64_t depth, float* sums) {
  if (wide == 3) return Tile<3, kSpread>(weights, panel, offsets, depth, sums);
  if (wide == 2) return Tile<2, kSpread>(weights, panel, offsets, depth, sums);
  Tile<1, kSpread>(weights, panel, offsets, depth, sums);
}

// A block of outputs at a single position: sums[m] = sum over k of weights[k][m] * x[k].
typedef float Eight __attribute__((vector_size(32)));
typedef float EightLoose __attribute__((vector_size(32), aligned(4), may_alias));

void Row(const float* weights, const float* x, int64_t depth, float* sums) {
  constexpr int kChains = 8;
  Eight held[kChains] = {};
  int64_t k = 0;
  for (; k + kChains <= depth; k += kChains)
#pragma GCC unroll 8
    for (int c = 0; c < kChains; ++c)
      held[c] += x[k + c] * *reinterpret_cast<const EightLoose*>(weights + (k + c) * kPacked);
  for (; k < depth; ++k)
    held[0] += x[k] * *reinterpret_cast<const EightLoose*>(weights + k * kPacked);
  for (int c = 1; c < kChains; ++c) held[0] += held[c];
  for (int m = 0; m < kPacked; ++m) sums[m] = held[0][m];
}

// Where each position of an output lies while it is computed.
struct Positions {
  int64_t flat;  // with the gaps between rows
  int64_t pitch, width;

  // Calls run(offset in the tile, place in the plane, count) for what is no gap.
  template <typename Run>
  void ForEach(int64_t begin, int64_t end, Run&& run) const {
    for (int64_t row = begin / pitch; row * pitch < end; ++row) {
      const int64_t first = std::max(begin, row * pitch);
      const int64_t last = std::min(end, row * pitch + width);
      if (last > first) run(first - begin, row * width + first - row * pitch, last - first);
    }
  }
};

struct Panel {
  int64_t begin;  // first position
  int wide;       // vectors
  const float* data;
};

// One dense convolution.
struct Dense {
  Geometry g;
  int64_t batch, channels, outputs, depth, blocks;
  bool is_direct;  // 1x1 with step 1: the planes are used where they are
  Positions positions;
  std::vector<int64_t> offsets;  // of each step of the product, among a sample's planes
  std::vector<bool> used;        // phases that some tap reads
  int64_t channel_size;

  void Finish() {
    is_direct = g.taps() == 1 && g.stride_height == 1 && g.stride_width == 1 && g.top == 0 &&
                g.left == 0 && g.out_height == g.height && g.out_width == g.width;
    depth = channels * g.taps();
    blocks = (outputs + kPacked - 1) / kPacked;
    const int64_t plane = g.out_height * g.out_width;
    positions = is_direct ? Positions{plane, std::max<int64_t>(plane, 1), plane}
                          : Positions{g.out_height * g.pitch, g.pitch, g.out_width};
    channel_size = is_direct ? g.height * g.width : g.num_phases() * g.phase_size;
    used.assign(g.num_phases(), false);
    for (int64_t phase : g.phases) used[phase] = true;
    offsets.resize(depth);
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t tap = k % g.taps();
      offsets[k] = k / g.taps() * channel_size;
      if (!is_direct) offsets[k] += g.phases[tap] * g.phase_size + g.offsets[tap];
    }
  }

  // Vectors of positions, the last maybe in part.
  int64_t vectors() const { return (positions.flat + kLanes - 1) / kLanes; }

  void Pack(const float* planes, const Panel& panel, float* data) const {
    const int64_t lanes = panel.wide * kLanes;
    const int64_t there = std::min(lanes, positions.flat - panel.begin);
    for (int64_t k = 0; k < depth; ++k) {
      const float* from = planes + offsets[k] + panel.begin;
      float* to = data + k * lanes;
      if (there == lanes || !is_direct) {
        for (int n = 0; n < panel.wide; ++n) Store(to + n * kLanes, Load(from + n * kLanes));
        continue;
      }
      for (int n = 0; n < panel.wide; ++n) {
        const int64_t left = std::clamp<int64_t>(there - n * kLanes, 0, kLanes);
        Store(to + n * kLanes, LoadSome(from + n * kLanes, left));
      }
    }
  }
};

// Copies a plane into its phases; zeros around it stay from one plane to the next.
void Place(const Geometry& g, const std::vector<bool>& used, const float* plane, float* phases) {
  for (int64_t a = 0; a < g.stride_height; ++a) {
    for (int64_t b = 0; b < g.stride_width; ++b) {
      if (!used[a * g.stride_width + b]) continue;
      float* phase = phases + (a * g.stride_width + b) * g.phase_size;
      const int64_t shift = b - g.left, step = g.stride_width;
      const int64_t first = shift >= 0 ? 0 : (-shift + step - 1) / step;
      const int64_t last = std::min((g.width - shift + step - 1) / step, g.pitch);
      if (last <= first) continue;
      for (int64_t i = 0; i < g.rows; ++i) {
        const int64_t y = i * g.stride_height + a - g.top;
        if (y < 0 || y >= g.height) continue;
        const float* row = plane + y * g.width + shift;
        float* to = phase + i * g.pitch;
        if (step == 1) {
          std::memcpy(to + first, row + first, sizeof(float) * (last - first));
        } else if (step == 2) {
          for (int64_t j = first; j < last; ++j) to[j] = row[2 * j];
        } else {
          for (int64_t j = first; j < last; ++j) to[j] = row[j * step];
        }
      }
    }
  }
}

// A block of weights over some panels.
void Block(const Dense& d, const float* weights, const Panel* panels, int64_t count, bool spread,
           int64_t block, int64_t sample, const Epilogue& epilogue) {
  const int64_t plane = d.g.out_height * d.g.out_width;
  alignas(64) float sums[kRows * kColumns * kLanes];
  for (int64_t p = 0; p < count; ++p) {
    const Panel& panel = panels[p];
    const int64_t lanes = panel.wide * kLanes;
    const int64_t end = std::min(panel.begin + lanes, d.positions.flat);
    for (int64_t half = 0; half < kPacked; half += kRows) {
      const int64_t first = block * kPacked + half;
      if (first >= d.outputs) break;
      const auto tile = spread ? AnyTile<true> : AnyTile<false>;
      tile(panel.wide, weights + half, panel.data, d.offsets.data(), d.depth, sums);
      for (int64_t m = 0; m < std::min<int64_t>(kRows, d.outputs - first); ++m) {
        const int64_t base = (sample * d.outputs + first + m) * plane;
        d.positions.ForEach(panel.begin, end, [&](int64_t offset, int64_t place, int64_t some) {
          epilogue.Run(sums + m * lanes + offset, epilogue.bias[first + m], base + place, some);
        });
      }
    }
  }
}

// At a single position: a matrix times a vector.
void Single(ffi::ThreadPool& pool, const Dense& d, const float* x, const float* weight,
            const Epilogue& epilogue) {
  const int64_t work = d.batch * d.outputs * d.depth;
  const int64_t parts = work < kWorthSharing ? 1 : std::min<int64_t>(d.blocks, 4);
  const int64_t step = (d.blocks + parts - 1) / parts;
  Share(pool, d.batch * parts, [&](int64_t piece) {
    const int64_t sample = piece / parts, begin = piece % parts * step;
    for (int64_t block = begin; block < std::min(begin + step, d.blocks); ++block) {
      float sums[kPacked];
      Row(weight + block * d.depth * kPacked, x + sample * d.channels, d.depth, sums);
      for (int64_t m = 0; m < std::min<int64_t>(kPacked, d.outputs - block * kPacked); ++m) {
        const int64_t out = block * kPacked + m;
        epilogue.Run(sums + m, epilogue.bias[out], sample * d.outputs + out, 1);
      }
    }
  });
}

void RunDense(ffi::ThreadPool& pool, const Dense& d, const float* x, const float* weight,
              const Epilogue& epilogue) {
  const int64_t threads = std::max<int64_t>(1, pool.num_threads());
  if (d.is_direct && d.positions.flat == 1) return Single(pool, d, x, weight, epilogue);
  const int64_t work = d.batch * d.outputs * d.depth * d.g.out_height * d.g.out_width;
  const bool shares = work >= kWorthSharing && threads > 1;
  const float* planes = x;
  const int64_t sample_size = d.channels * d.channel_size;
  const Scratch spread(3, d.is_direct ? 1 : d.batch * sample_size);
  if (!d.is_direct) {
    const int64_t all = d.batch * d.channels, parts = shares ? std::min(all, 4 * threads) : 1;
    Share(pool, parts, [&](int64_t part) {
      const int64_t first = all * part / parts, last = all * (part + 1) / parts;
      std::memset(spread + first * d.channel_size, 0,
                  sizeof(float) * (last - first) * d.channel_size);
      for (int64_t p = first; p < last; ++p)
        Place(d.g, d.used, x + p * d.g.height * d.g.width, spread + p * d.channel_size);
    });
    planes = spread;
  }
  // A piece is a group of panels and a part of the blocks.
  const int64_t vector_bytes = d.depth * kLanes * sizeof(float), all = d.vectors();
  int64_t vectors = std::max<int64_t>(kColumns, kNear / vector_bytes / kColumns * kColumns);
  // Few positions of many channels: their planes are smaller than panels of all taps, and the
  // weights, which are large then, are read once.
  const int64_t plane_bytes = sample_size * sizeof(float);
  const bool spread_out =
      !d.is_direct && plane_bytes <= kPlanes && all * vector_bytes > kMost;
  if (spread_out || (all <= 4 && all * vector_bytes <= kMost)) vectors = all;
  if (shares) {
    // All threads get as much where the positions are shared out.
    const int64_t wanted = (all + 2 * threads - 1) / (2 * threads);
    if (all >= 8 * threads && !spread_out)
      vectors = std::min(vectors, RoundUp(wanted, kColumns));
  }
  const int64_t groups = (all + vectors - 1) / vectors * d.batch;
  int64_t parts = 1;
  if (shares && groups < 2 * threads)
    parts = std::min(d.blocks, (2 * threads + groups - 1) / groups);
  const int64_t step = (d.blocks + parts - 1) / parts;
  const int64_t per_sample = groups / d.batch;
  auto run = [&](int64_t piece) {
    const int64_t group = piece / parts, begin = piece % parts * step;
    const int64_t sample = group / per_sample, first = group % per_sample * vectors;
    const int64_t last = std::min(first + vectors, all), end = std::min(begin + step, d.blocks);
    const Scratch room(0, spread_out ? 1 : (last - first) * kLanes * d.depth + kLanes);
    float* data = room;
    data += (64 - reinterpret_cast<uintptr_t>(data) % 64) % 64 / sizeof(float);
    std::vector<Panel> panels;
    for (int64_t v = first; v < last;) {
      const int wide = NextWidth(last - v);
      const float* own = planes + sample * sample_size;
      if (spread_out) {
        panels.push_back({v * kLanes, wide, own + v * kLanes});
      } else {
        panels.push_back({v * kLanes, wide, data});
        d.Pack(own, panels.back(), data);
        data += wide * kLanes * d.depth;
      }
      v += wide;
    }
    for (int64_t block = begin; block < end; ++block)
      Block(d, weight + block * d.depth * kPacked, panels.data(), panels.size(), spread_out,
            block, sample, epilogue);
  };
  if (shares) {
    Share(pool, groups * parts, run);
  } else {
    for (int64_t piece = 0; piece < groups * parts; ++piece) run(piece);
  }
}

// to[i] = sum over taps of weights[t] * from[offsets[t] + i], for 0 <= i < size.
void Correlate(const float* from, const int64_t* offsets, const float* weights, int64_t taps,
               float* to, int64_t size) {
  int64_t i = 0;
  for (; i + 4 * kLanes <= size; i += 4 * kLanes) {
    Aligned sums[4] = {};
    for (int64_t t = 0; t < taps; ++t)
#pragma GCC unroll 4
      for (int b = 0; b < 4; ++b) sums[b] += weights[t] * Load(from + offsets[t] + i + b * kLanes);
    for (int b = 0; b < 4; ++b) Store(to + i + b * kLanes, sums[b]);
  }
  for (; i < size; i += kLanes) {
    Aligned sum = {};
    for (int64_t t = 0; t < taps; ++t) sum += weights[t] * Load(from + offsets[t] + i);
    Store(to + i, sum);
  }
}

void RunDepthwise(ffi::ThreadPool& pool, const Geometry& g, int64_t batch, int64_t channels,
                  int64_t outputs, const float* x, const float* weight,
                  const Epilogue& epilogue) {
  const int64_t total = batch * outputs, multiplier = outputs / channels;
  const int64_t work = total * (g.flat * g.taps() + g.rows * 16 * g.num_phases());
  const int64_t threads = std::max<int64_t>(1, pool.num_threads());
  const int64_t parts = work < kWorthSharing ? 1 : std::min(total, 4 * threads);
  std::vector<int64_t> offsets(g.taps());
  std::vector<bool> used(g.num_phases(), false);
  for (int64_t t = 0; t < g.taps(); ++t) {
    offsets[t] = g.phases[t] * g.phase_size + g.offsets[t];
    used[g.phases[t]] = true;
  }
  const Positions positions{g.out_height * g.pitch, g.pitch, g.out_width};
  const int64_t plane = g.out_height * g.out_width;
  Share(pool, parts, [&](int64_t part) {
    const int64_t first = total * part / parts, last = total * (part + 1) / parts;
    const Scratch phases(0, g.num_phases() * g.phase_size);
    const Scratch flat(1, g.flat);
    std::memset(phases, 0, sizeof(float) * g.num_phases() * g.phase_size);
    int64_t placed = -1;
    for (int64_t p = first; p < last; ++p) {
      const int64_t out = p % outputs, in = p / outputs * channels + out / multiplier;
      if (in != placed) Place(g, used, x + in * g.height * g.width, phases);
      placed = in;
      Correlate(phases, offsets.data(), weight + out * g.taps(), g.taps(), flat, g.flat);
      positions.ForEach(0, positions.flat,
                        [&](int64_t offset, int64_t place, int64_t some) {
                          epilogue.Run(flat + offset, epilogue.bias[out], p * plane + place, some);
                        });
    }
  });
}

bool Fits(Floats x, Sizes kernel, Floats bias, Floats added, Result y, bool depthwise) {
  if (x.dimensions().size() != 4 || y->dimensions().size() != 4 || kernel.size() != 4)
    return false;
  const int64_t outputs = y->dimensions()[1];
  if (static_cast<int64_t>(bias.element_count()) != outputs) return false;
  if (added.element_count() != 0 && added.element_count() != y->element_count()) return false;
  if (x.dimensions()[0] != y->dimensions()[0] || kernel[0] != outputs) return false;
  return depthwise ? outputs % x.dimensions()[1] == 0 : kernel[1] == x.dimensions()[1];
}

ffi::Error Fused(ffi::ThreadPool pool, Floats x, Floats weight, Floats bias, Floats added,
                 Result y, Sizes kernel, Sizes strides, Sizes padding, Sizes dilations,
                 bool depthwise, int64_t activation, float alpha, float beta) {
  const ffi::Error bad = ffi::Error::InvalidArgument("fused convolution of unfit shapes");
  if (y->element_count() == 0) return ffi::Error::Success();
  if (!Fits(x, kernel, bias, added, y, depthwise)) return bad;
  Dense d;
  if (auto error = d.g.Set(x.dimensions(), kernel, y->dimensions(), strides, padding, dilations);
      error.failure())
    return error;
  d.batch = x.dimensions()[0], d.channels = x.dimensions()[1], d.outputs = kernel[0];
  const float* other = added.element_count() == 0 ? nullptr : added.typed_data();
  const Epilogue epilogue{activation, alpha, beta, bias.typed_data(), other, y->typed_data()};
  if (depthwise) {
    if (static_cast<int64_t>(weight.element_count()) != d.outputs * d.g.taps()) return bad;
    RunDepthwise(pool, d.g, d.batch, d.channels, d.outputs, x.typed_data(),
                 weight.typed_data(), epilogue);
    return ffi::Error::Success();
  }
  d.Finish();
  if (static_cast<int64_t>(weight.element_count()) != d.blocks * d.depth * kPacked) return bad;
  RunDense(pool, d, x.typed_data(), weight.typed_data(), epilogue);
  return ffi::Error::Success();
}

}  // namespace
}  // namespace proa

XLA_FFI_DEFINE_HANDLER_SYMBOL(proa_fused_convolution, proa::Fused,
                              xla::ffi::Ffi::Bind()
                                  .Ctx<xla::ffi::ThreadPool>()
                                  .Arg<proa::Floats>()
                                  .Arg<proa::Floats>()
                                  .Arg<proa::Floats>()
                                  .Arg<proa::Floats>()
                                  .Ret<proa::Floats>()
                                  .Attr<proa::Sizes>("kernel")
                                  .Attr<proa::Sizes>("strides")
                                  .Attr<proa::Sizes>("padding")
                                  .Attr<proa::Sizes>("dilations")
                                  .Attr<bool>("depthwise")
                                  .Attr<int64_t>("activation")
                                  .Attr<float>("alpha")
                                  .Attr<float>("beta"));

// Depthwise convolution of float32 images [N, C, H, W], forward and both gradients.

#include "_parallel.h"
#include "_planes.h"

namespace ffi = xla::ffi;

namespace proa {
namespace {

// to[i] = sum over taps of weight[t] * from[t][i], for 0 <= i < size, a multiple of kLanes.
void Correlate(const float* const* from, const float* weights, int64_t taps, float* to,
               int64_t size) {
  constexpr int kBlock = 4;
  int64_t i = 0;
  for (; i + kBlock * kLanes <= size; i += kBlock * kLanes) {
    Lanes sums[kBlock] = {};
    for (int64_t t = 0; t < taps; ++t)
      for (int b = 0; b < kBlock; ++b) sums[b] += weights[t] * Load(from[t] + i + b * kLanes);
    for (int b = 0; b < kBlock; ++b) Store(to + i + b * kLanes, sums[b]);
  }
  for (; i < size; i += kLanes) {
    Lanes sum = {};
    for (int64_t t = 0; t < taps; ++t) sum += weights[t] * Load(from[t] + i);
    Store(to + i, sum);
  }
}

float Sum(Lanes value) {
  float total = 0;
  for (int lane = 0; lane < kLanes; ++lane) total += value[lane];
  return total;
}

// sums[t] += sum over i of gradient[i] * from[t][i], kGroup taps at a time.
template <int kGroup>
void Products(const float* const* from, const float* gradient, int64_t size, float* sums) {
  Aligned held[kGroup] = {};
  for (int64_t i = 0; i < size; i += kLanes) {
    const Lanes dy = Load(gradient + i);
    for (int t = 0; t < kGroup; ++t) held[t] += dy * Load(from[t] + i);
  }
  for (int t = 0; t < kGroup; ++t) sums[t] += Sum(held[t]);
}

void AllProducts(const float* const* from, const float* gradient, int64_t size, int64_t taps,
                 float* sums) {
  int64_t t = 0;
  for (; t + 9 <= taps; t += 9) Products<9>(from + t, gradient, size, sums + t);
  for (; t + 4 <= taps; t += 4) Products<4>(from + t, gradient, size, sums + t);
  for (; t < taps; ++t) Products<1>(from + t, gradient, size, sums + t);
}

struct Shapes {
  int64_t batch, channels, multiplier, planes;  // planes: of the output, per sample

  Shapes(Sizes x, Sizes y)
      : batch(x[0]), channels(x[1]), multiplier(y[1] / x[1]), planes(y[1]) {}
};

// Planes that one piece of work takes, so that a piece is worth the asking.
int64_t PlanesPerPiece(const Geometry& g) {
  return std::max<int64_t>(1, 32768 / std::max<int64_t>(1, g.flat * g.taps() / 8));
}

std::vector<const float*> TapsIn(const Geometry& g, const float* phases) {
  std::vector<const float*> taps(g.taps());
  for (int64_t t = 0; t < g.taps(); ++t)
    taps[t] = phases + g.phases[t] * g.phase_size + g.offsets[t];
  return taps;
}

ffi::Error Forward(ffi::ThreadPool pool, Floats x, Floats weight, Result y, Sizes strides,
                   Sizes padding, Sizes dilations) {
  Geometry g;
  if (auto error = g.Set(x.dimensions(), weight.dimensions(), y->dimensions(), strides,
                         padding, dilations);
      error.failure())
    return error;
  const Shapes s(x.dimensions(), y->dimensions());
  const int64_t total = s.batch * s.planes, step = PlanesPerPiece(g);
  Share(pool, (total + step - 1) / step, [&](int64_t piece) {
    const Scratch phases(0, g.num_phases() * g.phase_size);
    const Scratch flat(1, g.flat);
    const std::vector<const float*> taps = TapsIn(g, phases);
    Clear(phases, g.num_phases() * g.phase_size);
    int64_t spread = -1;
    for (int64_t p = piece * step; p < std::min(total, (piece + 1) * step); ++p) {
      const int64_t sample = p / s.planes, out = p % s.planes;
      const int64_t in = sample * s.channels + out / s.multiplier;
      if (in != spread) Spread(g, x.typed_data() + in * g.height * g.width, phases);
      spread = in;
      Correlate(taps.data(), weight.typed_data() + out * g.taps(), g.taps(), flat, g.flat);
      float* to = y->typed_data() + p * g.out_height * g.out_width;
      Close(g, flat, to);
    }
  });
  return ffi::Error::Success();
}

// The gradient of the input: in each phase, a correlation of the output's gradient.
ffi::Error InputGradient(ffi::ThreadPool pool, Floats gradient, Floats weight, Result x,
                         Sizes strides, Sizes padding, Sizes dilations) {
  Geometry g;
  if (auto error = g.Set(x->dimensions(), weight.dimensions(), gradient.dimensions(), strides,
                         padding, dilations);
      error.failure())
    return error;
  const Shapes s(x->dimensions(), gradient.dimensions());
  const int64_t before = g.reach;
  const int64_t wanted = RoundUp(g.rows * g.pitch, kLanes);
  const int64_t size = before + std::max(wanted, g.flat) + kLanes;
  std::vector<std::vector<int64_t>> by_phase(g.num_phases());
  for (int64_t t = 0; t < g.taps(); ++t) by_phase[g.phases[t]].push_back(t);
  const int64_t phase_size = std::max(g.phase_size, wanted);
  Geometry held = g;
  held.phase_size = phase_size;
  const int64_t total = s.batch * s.channels, step = PlanesPerPiece(g);
  Share(pool, (total + step - 1) / step, [&](int64_t piece) {
    const Scratch phases(0, g.num_phases() * phase_size);
    const Scratch flat(1, size * s.multiplier);
    Clear(flat, size * s.multiplier);
    std::vector<const float*> from;
    std::vector<float> factors;
    for (int64_t p = piece * step; p < std::min(total, (piece + 1) * step); ++p) {
      const int64_t sample = p / s.channels, channel = p % s.channels;
      const int64_t first = channel * s.multiplier;
      for (int64_t m = 0; m < s.multiplier; ++m)
        Stretch(g,
                gradient.typed_data() +
                    (sample * s.planes + first + m) * g.out_height * g.out_width,
                flat + m * size + before);
      for (int64_t phase = 0; phase < g.num_phases(); ++phase) {
        from.clear(), factors.clear();
        for (int64_t m = 0; m < s.multiplier; ++m)
          for (int64_t t : by_phase[phase]) {
            from.push_back(flat + m * size + before - g.offsets[t]);
            factors.push_back(weight.typed_data()[(first + m) * g.taps() + t]);
          }
        Correlate(from.data(), factors.data(), from.size(), phases + phase * phase_size, wanted);
      }
      Gather(held, phases, x->typed_data() + p * g.height * g.width);
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
  Share(pool, s.channels, [&](int64_t channel) {
    const Scratch phases(0, g.num_phases() * g.phase_size);
    const Scratch flat(1, g.flat);
    const std::vector<const float*> taps = TapsIn(g, phases);
    Clear(phases, g.num_phases() * g.phase_size);
    Clear(flat, g.flat);
    const int64_t first = channel * s.multiplier;
    float* sums = weight->typed_data() + first * g.taps();
    Clear(sums, s.multiplier * g.taps());
    for (int64_t sample = 0; sample < s.batch; ++sample) {
      const int64_t in = sample * s.channels + channel;
      Spread(g, x.typed_data() + in * g.height * g.width, phases);
      for (int64_t m = 0; m < s.multiplier; ++m) {
        const int64_t out = sample * s.planes + first + m;
        Stretch(g, gradient.typed_data() + out * g.out_height * g.out_width, flat);
        AllProducts(taps.data(), flat, g.flat, g.taps(), sums + m * g.taps());
      }
    }
  });
  return ffi::Error::Success();
}

}  // namespace
}  // namespace proa

PROA_CONVOLUTION(proa_depthwise, Forward);
PROA_CONVOLUTION(proa_depthwise_input_gradient, InputGradient);
PROA_CONVOLUTION(proa_depthwise_weight_gradient, WeightGradient);

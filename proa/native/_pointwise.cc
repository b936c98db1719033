// See _pointwise.h. Positions of all samples are one axis, so that small planes fill panels too.

#include "_pointwise.h"

#include "_parallel.h"
#include "_tiles.h"

namespace ffi = xla::ffi;

namespace proa {
namespace {

// Bytes of panels that a piece holds near the processor, and that a weight gradient holds
// between its phases.
constexpr int64_t kNear = 384 * 1024, kBetween = 4 * 1024 * 1024;
// Positions of a sample that one product of a weight gradient adds up.
constexpr int64_t kDeep = 1024;

// Calls visit(sample, position, count, before) for what [begin, end) is of each sample.
template <typename Visit>
void ForSamples(const Planes& p, int64_t begin, int64_t end, Visit visit) {
  for (int64_t at = begin; at < end;) {
    const int64_t first = at % p.size, count = std::min(end - at, p.size - first);
    visit(at / p.size, first, count, at - begin);
    at += count;
  }
}

// Rows of tiles: `count` rows in tiles of nearly the same height, as Tiles takes them.
struct Rows {
  int64_t count, tiles;

  explicit Rows(int64_t count) : count(count), tiles((count + kTall - 1) / kTall) {}
  int64_t First(int64_t tile) const {
    const int64_t tall = count / tiles, more = count % tiles;
    return tile * tall + std::min(tile, more);
  }
};

// to[tile][c][row] of the weights.
void PackWeights(ffi::ThreadPool& pool, const Planes& p, const float* weight, int64_t by_output,
                 int64_t by_input, float* to) {
  const Rows rows(p.outputs);
  Share(pool, rows.tiles, [&](int64_t tile) {
    const int64_t first = rows.First(tile), tall = rows.First(tile + 1) - first;
    float* place = to + first * p.inputs;
    if (by_input == 1) {
      for (int64_t top = 0; top < tall; top += kLanes)
        for (int64_t c = 0; c < p.inputs; c += kLanes)
          TransposeBlock(weight + (first + top) * by_output + c, by_output,
                         std::min<int64_t>(kLanes, tall - top),
                         std::min<int64_t>(kLanes, p.inputs - c), place + c * tall + top, tall,
                         false);
    } else {
      for (int64_t c = 0; c < p.inputs; ++c)
        std::memcpy(place + c * tall, weight + first + c * by_input, sizeof(float) * tall);
    }
  });
}

}  // namespace

void PointwiseConvolution(ffi::ThreadPool& pool, const Planes& p, const float* x,
                          const float* weight, int64_t by_output, int64_t by_input, float* y) {
  const Scratch packed(3, p.inputs * p.outputs);
  PackWeights(pool, p, weight, by_output, by_input, packed);
  const Rows rows(p.outputs);
  const int64_t positions = p.batch * p.size, panels = (positions + kPanel - 1) / kPanel;
  const int64_t threads = std::max<int64_t>(1, pool.num_threads());
  const int64_t near = kNear / (p.inputs * kPanel * sizeof(float));
  const int64_t step = std::max<int64_t>(1, std::min(near, panels / (4 * threads)));
  Share(pool, (panels + step - 1) / step, [&](int64_t piece) {
    const int64_t first = piece * step, last = std::min(first + step, panels);
    const Scratch held(0, step * p.inputs * kPanel);
    const Scratch crossing(1, kTall * kPanel);
    for (int64_t panel = first; panel < last; ++panel) {
      float* to = held + (panel - first) * p.inputs * kPanel;
      const int64_t begin = panel * kPanel, end = std::min(begin + kPanel, positions);
      ForSamples(p, begin, end, [&](int64_t sample, int64_t at, int64_t count, int64_t before) {
        const float* from = x + sample * p.inputs * p.size + at;
        if (count == kPanel) {
          for (int64_t c = 0; c < p.inputs; ++c)
            for (int n = 0; n < kWide; ++n)
              Store(to + c * kPanel + n * kLanes, Load(from + c * p.size + n * kLanes));
        } else {
          for (int64_t c = 0; c < p.inputs; ++c)
            std::memcpy(to + c * kPanel + before, from + c * p.size, sizeof(float) * count);
        }
      });
      if (end - begin < kPanel)
        for (int64_t c = 0; c < p.inputs; ++c)
          std::memset(to + c * kPanel + (end - begin), 0,
                      sizeof(float) * (kPanel - (end - begin)));
    }
    for (int64_t tile = 0; tile < rows.tiles; ++tile) {
      const int64_t top = rows.First(tile), tall = rows.First(tile + 1) - top;
      const float* factors = packed + top * p.inputs;
      for (int64_t panel = first; panel < last; ++panel) {
        const float* from = held + (panel - first) * p.inputs * kPanel;
        const int64_t begin = panel * kPanel, end = std::min(begin + kPanel, positions);
        const int64_t sample = begin / p.size, at = begin % p.size;
        if (at + kPanel <= p.size) {
          TileOf<kTall>(tall, factors, 1, tall, from, p.inputs,
                        y + (sample * p.outputs + top) * p.size + at, p.size, false);
          continue;
        }
        TileOf<kTall>(tall, factors, 1, tall, from, p.inputs, crossing, kPanel, false);
        ForSamples(p, begin, end, [&](int64_t sample, int64_t at, int64_t count, int64_t before) {
          for (int64_t m = 0; m < tall; ++m)
            std::memcpy(y + (sample * p.outputs + top + m) * p.size + at,
                        crossing + m * kPanel + before, sizeof(float) * count);
        });
      }
    }
  });
}

void PointwiseWeightGradient(ffi::ThreadPool& pool, const Planes& p, const float* x,
                             const float* dy, float* weight) {
  // The array with fewer channels is turned into panels, positions by channels.
  const int64_t panels = (p.inputs + kPanel - 1) / kPanel, wide = panels * kPanel;
  const int64_t parts = (p.size + kDeep - 1) / kDeep, deep = (p.size + parts - 1) / parts;
  const int64_t pieces = p.batch * parts;
  const int64_t now = std::clamp<int64_t>(kBetween / (deep * wide * sizeof(float)), 1, pieces);
  const Scratch shared(3, p.outputs * wide + now * deep * wide);
  float* sums = shared;
  float* turned = sums + p.outputs * wide;
  const int64_t threads = std::max<int64_t>(1, pool.num_threads());
  const int64_t cuts =
      std::clamp<int64_t>((4 * threads + panels - 1) / panels, 1, (p.outputs + kTall - 1) / kTall);
  const int64_t cut = RoundUp((p.outputs + cuts - 1) / cuts, kTall);
  for (int64_t begin = 0; begin < pieces; begin += now) {
    const int64_t count = std::min(now, pieces - begin);
    // turned[panel][piece][position][kPanel]
    Share(pool, count * panels, [&](int64_t piece) {
      const int64_t panel = piece / count, part = piece % count + begin;
      const int64_t at = part % parts * deep, size = std::min(deep, p.size - at);
      const int64_t channels = std::min<int64_t>(kPanel, p.inputs - panel * kPanel);
      const float* from = x + (part / parts * p.inputs + panel * kPanel) * p.size + at;
      float* to = turned + (panel * now + part - begin) * deep * kPanel;
      for (int64_t c = 0; c < kPanel; c += kLanes)
        for (int64_t q = 0; q < size; q += kLanes)
          TransposeBlock(from + c * p.size + q, p.size,
                         std::clamp<int64_t>(channels - c, 0, kLanes),
                         std::min<int64_t>(kLanes, size - q), to + q * kPanel + c, kPanel, true);
    });
    Share(pool, panels * cuts, [&](int64_t piece) {
      const int64_t panel = piece / cuts, top = piece % cuts * cut;
      const int64_t tall = std::min(cut, p.outputs - top);
      if (tall <= 0) return;
      for (int64_t part = begin; part < begin + count; ++part) {
        const int64_t at = part % parts * deep, size = std::min(deep, p.size - at);
        Tiles(dy + (part / parts * p.outputs + top) * p.size + at, p.size, 1,
              turned + (panel * now + part - begin) * deep * kPanel, size, tall,
              sums + top * wide + panel * kPanel, wide, part > 0);
      }
    });
  }
  Share(pool, p.outputs, [&](int64_t o) {
    std::memcpy(weight + o * p.inputs, sums + o * wide, sizeof(float) * p.inputs);
  });
}

}  // namespace proa

// The loop of an LSTM over time for a few sequences of float32, forward only.
//
// At each step every weight is read once and used once per sequence, so the time is that of
// reading them. Each thread keeps its own part of the units in all steps: its weights stay in the
// memory nearest to it. Weights come packed: [ceil(H / 8), H, 4, 8], the four gates of eight units
// side by side.

#include <thread>

#include "_parallel.h"
#include "_planes.h"

namespace ffi = xla::ffi;

namespace proa {
namespace {

constexpr int kUnits = 8;
constexpr int64_t kMostHelpers = 7;
// Steps that may have to wait for a helper before they do without it: there is no processor for it.
constexpr int kMostLost = 3;
// Multiplications of a step that are worth another thread.
constexpr int64_t kWorthSharing = 48 * 1024;

typedef float Eight __attribute__((vector_size(32)));
typedef int32_t Words __attribute__((vector_size(32)));
typedef float Loose __attribute__((vector_size(32), aligned(4), may_alias));

// Waits for what takes about a microsecond, unless the machine has taken the other thread off:
// then that one may need this processor.
class Patience {
 public:
  void Look() {
    if (++looks_ > kLooks) return std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  // Whether it has taken much longer.
  bool is_lost() const { return looks_ > 2 * kLooks; }

 private:
  static constexpr int kLooks = 100;
  int looks_ = 0;
};

// e^x: a power of two times a polynomial of the rest, which lies within half a ln 2 of 0; its
// coefficients are those of Taylor's series.
inline Eight Exp(Eight x) {
  const Eight zero = {}, low = zero - 87.0f, high = zero + 88.0f;
  x = x < low ? low : x;
  x = x > high ? high : x;
  const Eight round = zero + 12582912.0f;  // 1.5 * 2^23: adding it drops the fraction
  const Eight shifted = x * 1.44269504f + round, n = shifted - round;
  Eight r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  Eight p = zero + 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const Words power = ((Words)shifted - (Words)round + 127) << 23;
  return p * (Eight)power;
}

inline Eight Sigmoid(Eight x) { return 1.0f / (1.0f + Exp(-x)); }
inline Eight Tanh(Eight x) { return 1.0f - 2.0f / (1.0f + Exp(2.0f * x)); }

struct Sequence {
  int64_t steps, batch, hidden, blocks;
  const float* given;   // [T, B, 4, H], the gates' sums without the state
  const float* weight;  // packed
  const float* start;   // [B, H]
  float* out;           // [T, B, H]
  float* cell;          // [B, H]

  // The next state of the units in blocks [begin, end).
  void Step(int64_t time, const float* before, int64_t begin, int64_t end) const {
    for (int64_t block = begin; block < end; ++block)
      for (int64_t b = 0; b < batch; ++b) Units(time, before + b * hidden, block, b);
  }

 private:
  void Units(int64_t time, const float* state, int64_t block, int64_t b) const {
    constexpr int kChains = 2;
    const float* w = weight + block * hidden * 4 * kUnits;
    Eight sums[kChains][4] = {};
    int64_t k = 0;
    for (; k + kChains <= hidden; k += kChains)
#pragma GCC unroll 2
      for (int c = 0; c < kChains; ++c) {
        const float* row = w + (k + c) * 4 * kUnits;
#pragma GCC unroll 4
        for (int gate = 0; gate < 4; ++gate)
          sums[c][gate] += state[k + c] * *reinterpret_cast<const Loose*>(row + gate * kUnits);
      }
    for (; k < hidden; ++k)
      for (int gate = 0; gate < 4; ++gate)
        sums[0][gate] += state[k] * *reinterpret_cast<const Loose*>(w + (k * 4 + gate) * kUnits);
    const int64_t first = block * kUnits, some = std::min<int64_t>(kUnits, hidden - first);
    const float* given_row = given + (time * batch + b) * 4 * hidden + first;
    Eight gates[4], c = {};
    for (int gate = 0; gate < 4; ++gate) {
      Eight from = {};
      std::memcpy(&from, given_row + gate * hidden, sizeof(float) * some);
      gates[gate] = from + sums[0][gate] + sums[1][gate];
    }
    float* held = cell + b * hidden + first;
    std::memcpy(&c, held, sizeof(float) * some);
    c = Sigmoid(gates[1]) * c + Sigmoid(gates[0]) * Tanh(gates[2]);
    const Eight h = Sigmoid(gates[3]) * Tanh(c);
    std::memcpy(held, &c, sizeof(float) * some);
    std::memcpy(out + (time * batch + b) * hidden + first, &h, sizeof(float) * some);
  }
};

// A thread that helps with each step, once it has come.
struct alignas(64) Helper {
  enum State : int { kAbsent, kWaiting, kWorking, kLeaving };
  std::atomic<int> state{kAbsent};
  int64_t time = 0, begin = 0, end = 0;
  const float* before = nullptr;
  int lost = 0;  // steps that had to wait for it
};

struct Crew {
  Sequence sequence;
  Helper helpers[kMostHelpers];

  void Help(int64_t index) {
    Helper& own = helpers[index];
    int absent = Helper::kAbsent;
    // Too late if the caller has closed the place.
    if (!own.state.compare_exchange_strong(absent, Helper::kWaiting)) return;
    for (Patience patience;;) {
      const int state = own.state.load(std::memory_order_acquire);
      if (state == Helper::kLeaving) return;
      if (state == Helper::kWorking) {
        sequence.Step(own.time, own.before, own.begin, own.end);
        own.state.store(Helper::kWaiting, std::memory_order_release);
        patience = {};
      } else {
        patience.Look();
      }
    }
  }
};

// Nobody waits for a helper that has not come: a step is shared out among those who are there.
void RunSteps(Crew& crew, int64_t count, bool reverse) {
  const Sequence& s = crew.sequence;
  const float* before = s.start;
  for (int64_t i = 0; i < s.steps; ++i) {
    const int64_t time = reverse ? s.steps - 1 - i : i;
    Helper* there[kMostHelpers];
    int64_t present = 0;
    for (int64_t h = 0; h < count; ++h)
      if (crew.helpers[h].state.load(std::memory_order_acquire) == Helper::kWaiting)
        there[present++] = &crew.helpers[h];
    const int64_t parts = present + 1;
    for (int64_t p = 0; p < present; ++p) {
      Helper& each = *there[p];
      each.time = time, each.before = before;
      each.begin = s.blocks * (p + 1) / parts, each.end = s.blocks * (p + 2) / parts;
      each.state.store(Helper::kWorking, std::memory_order_release);
    }
    s.Step(time, before, 0, s.blocks / parts);
    for (int64_t p = 0; p < present; ++p) {
      Patience patience;
      while (there[p]->state.load(std::memory_order_acquire) == Helper::kWorking) patience.Look();
      if (patience.is_lost() && ++there[p]->lost == kMostLost)
        there[p]->state.store(Helper::kLeaving);
    }
    before = s.out + time * s.batch * s.hidden;
  }
  for (int64_t h = 0; h < count; ++h) crew.helpers[h].state.store(Helper::kLeaving);
}

ffi::Error Lstm(ffi::ThreadPool pool, Floats given, Floats weight, Floats start, Floats cell,
                Result y, bool reverse) {
  const ffi::Error bad = ffi::Error::InvalidArgument("LSTM of shapes that do not fit");
  const auto sizes = given.dimensions(), states = start.dimensions();
  if (sizes.size() != 3 || states.size() != 2 || sizes[1] != states[0] ||
      sizes[2] != 4 * states[1])
    return bad;
  auto crew = std::make_shared<Crew>();
  Sequence& s = crew->sequence;
  s.steps = sizes[0], s.batch = sizes[1], s.hidden = states[1];
  s.blocks = (s.hidden + kUnits - 1) / kUnits;
  const int64_t state_size = s.batch * s.hidden;
  if (static_cast<int64_t>(weight.element_count()) != s.blocks * s.hidden * 4 * kUnits ||
      static_cast<int64_t>(cell.element_count()) != state_size ||
      static_cast<int64_t>(y->element_count()) != (s.steps + 1) * state_size)
    return bad;
  if (state_size == 0) return ffi::Error::Success();
  s.given = given.typed_data(), s.weight = weight.typed_data(), s.start = start.typed_data();
  s.out = y->typed_data(), s.cell = s.out + s.steps * state_size;
  std::memcpy(s.cell, cell.typed_data(), sizeof(float) * state_size);
  int64_t count = 0;
  if (s.steps > 1 && 4 * s.hidden * state_size >= kWorthSharing)
    count = std::clamp<int64_t>(std::min(pool.num_threads(), s.blocks / 4) - 1, 0, kMostHelpers);
  for (int64_t h = 0; h < count; ++h) pool.Schedule([crew, h] { crew->Help(h); });
  RunSteps(*crew, count, reverse);
  return ffi::Error::Success();
}

}  // namespace
}  // namespace proa

XLA_FFI_DEFINE_HANDLER_SYMBOL(proa_lstm, proa::Lstm,
                              xla::ffi::Ffi::Bind()
                                  .Ctx<xla::ffi::ThreadPool>()
                                  .Arg<proa::Floats>()
                                  .Arg<proa::Floats>()
                                  .Arg<proa::Floats>()
                                  .Arg<proa::Floats>()
                                  .Ret<proa::Floats>()
                                  .Attr<bool>("reverse"));

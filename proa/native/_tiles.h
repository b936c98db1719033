// Products of matrices in tiles of sums that registers hold, and transposes of blocks.
//
// A product's second factor comes in panels: kPanel of its columns, one row after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "_planes.h"

namespace proa {

constexpr int kWide = 2;  // vectors of a panel
constexpr int64_t kPanel = kWide * kLanes;
#if defined(__AVX512F__)
constexpr int kTall = 12;
#elif defined(__AVX__)
constexpr int kTall = 6;
#else
constexpr int kTall = 4;
#endif

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define PROA_SHUFFLES 1
#endif
#endif

#ifdef PROA_SHUFFLES
template <int kStep, size_t... I>
inline void Exchange(Aligned& a, Aligned& b, std::index_sequence<I...>) {
  const Aligned low = __builtin_shufflevector(
      a, b, ((static_cast<int>(I) & kStep) ? kLanes + static_cast<int>(I) - kStep
                                           : static_cast<int>(I))...);
  b = __builtin_shufflevector(
      a, b, ((static_cast<int>(I) & kStep) ? kLanes + static_cast<int>(I)
                                           : static_cast<int>(I) + kStep)...);
  a = low;
}

template <int kStep>
inline void Transpose(Aligned (&rows)[kLanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i)
    if (!(i & kStep)) Exchange<kStep>(rows[i], rows[i + kStep], std::make_index_sequence<kLanes>());
  if constexpr (kStep * 2 < kLanes) Transpose<kStep * 2>(rows);
}
#else
template <int kStep>
inline void Transpose(Aligned (&rows)[kLanes]) {
  for (int i = 0; i < kLanes; ++i)
    for (int j = 0; j < i; ++j) {
      const float held = rows[i][j];
      rows[i][j] = rows[j][i];
      rows[j][i] = held;
    }
}
#endif

// Transposes `count` rows of `size` elements; both at most kLanes.
inline void TransposeBlock(const float* from, int64_t from_pitch, int64_t count, int64_t size,
                           float* to, int64_t to_pitch, bool pad) {
  Aligned rows[kLanes] = {};
  if (size == kLanes) {
    for (int64_t i = 0; i < count; ++i) rows[i] = Load(from + i * from_pitch);
  } else {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(&rows[i], from + i * from_pitch, sizeof(float) * size);
  }
  Transpose<1>(rows);
  if (pad || count == kLanes) {
    for (int64_t j = 0; j < size; ++j) Store(to + j * to_pitch, rows[j]);
  } else {
    for (int64_t j = 0; j < size; ++j)
      std::memcpy(to + j * to_pitch, &rows[j], sizeof(float) * count);
  }
}

// to[i][j] (+)= sum over k of a[i * a_row + k * a_step] * b[k * kPanel + j], for one panel.
template <int kRows>
inline void Tile(const float* a, int64_t a_row, int64_t a_step, const float* b, int64_t depth,
                 float* to, int64_t pitch, bool add) {
  Aligned sums[kRows][kWide];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n)
      sums[m][n] = add ? Load(to + m * pitch + n * kLanes) : Lanes{};
  for (int64_t k = 0; k < depth; ++k, a += a_step, b += kPanel) {
    Lanes columns[kWide];
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) columns[n] = Load(b + n * kLanes);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const float factor = a[m * a_row];
#pragma GCC unroll 4
      for (int n = 0; n < kWide; ++n) sums[m][n] += factor * columns[n];
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 4
    for (int n = 0; n < kWide; ++n) Store(to + m * pitch + n * kLanes, sums[m][n]);
}

// The same for `rows` rows, at most kMost.
template <int kMost>
inline void TileOf(int64_t rows, const float* a, int64_t a_row, int64_t a_step, const float* b,
                   int64_t depth, float* to, int64_t pitch, bool add) {
  if constexpr (kMost > 1) {
    if (rows < kMost)
      return TileOf<kMost - 1>(rows, a, a_row, a_step, b, depth, to, pitch, add);
  }
  Tile<kMost>(a, a_row, a_step, b, depth, to, pitch, add);
}

// The same for any number of rows, in tiles of nearly the same height.
inline void Tiles(const float* a, int64_t a_row, int64_t a_step, const float* b, int64_t depth,
           int64_t count, float* to, int64_t pitch, bool add) {
  for (int64_t left = (count + kTall - 1) / kTall; left > 0; --left) {
    const int64_t rows = (count + left - 1) / left;
    TileOf<kTall>(rows, a, a_row, a_step, b, depth, to, pitch, add);
    a += rows * a_row, to += rows * pitch, count -= rows;
  }
}

}  // namespace proa

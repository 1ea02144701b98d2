// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What vectorised libraries do with the bits of floats: lanes moved as integers of another width,
// signs flipped by masks, selections by and, mantissas cut out, rounding by a large number behind a
// barrier.
// Supports: vectors of floats handled as integers, empty `asm` barriers
#include "GradientCheck.h"
#include <string.h>

#ifdef __x86_64__
#include <emmintrin.h>

static double lanes(const double *x, double *y) {
  __m128d a = _mm_loadu_pd(x), b = _mm_loadu_pd(x + 2);
  __m128d swapped = _mm_castsi128_pd(_mm_shuffle_epi32(_mm_castpd_si128(a), 0x4e));
  __m128d signs = _mm_xor_pd(_mm_mul_pd(a, b), _mm_set_pd(-0.0, 0.0));
  __m128d less = _mm_cmplt_pd(a, b);
  __m128d least = _mm_or_pd(_mm_and_pd(less, a), _mm_andnot_pd(less, b));
  __m128d size = _mm_andnot_pd(_mm_set1_pd(-0.0), _mm_sub_pd(a, b));
  _mm_storel_epi64((__m128i *)y, _mm_castpd_si128(swapped));
  _mm_storeu_si128((__m128i *)(y + 1), _mm_castpd_si128(_mm_mul_pd(signs, least)));
  double out[2];
  _mm_storeu_pd(out, _mm_add_pd(_mm_mul_pd(size, swapped), signs));
  return out[0] * out[1];
}

static float halves(const float *x) {
  __m128 a = _mm_castpd_ps(_mm_load_sd((const double *)x)), b = _mm_loadu_ps(x + 2);
  __m128 pairs = _mm_shuffle_ps(a, a, 0x50);
  __m128 moved = _mm_castpd_ps(_mm_unpacklo_pd(_mm_castps_pd(b), _mm_castps_pd(pairs)));
  float out[4];
  _mm_storeu_ps(out, _mm_mul_ps(_mm_mul_ps(pairs, b), moved));
  return out[0] + 2 * out[1] + 3 * out[2] * out[3];
}

// x = mantissa 2^exponent
static __m128d logarithm(__m128d x) {
  const __m128d Digits = _mm_castsi128_pd(_mm_set1_epi64x(0xfffffffffffff)),
                Half = _mm_set1_pd(0.5);
  __m128d m = _mm_or_pd(_mm_and_pd(x, Digits), Half);
  __m128i e = _mm_srli_epi64(_mm_castpd_si128(x), 52);
  __m128d exponent = _mm_cvtepi32_pd(_mm_shuffle_epi32(e, 0x88));
  __m128d t = _mm_div_pd(_mm_sub_pd(m, _mm_set1_pd(0.75)), _mm_add_pd(m, _mm_set1_pd(0.75)));
  __m128d t2 = _mm_mul_pd(t, t);
  __m128d series = _mm_add_pd(_mm_set1_pd(2), _mm_mul_pd(t2, _mm_set1_pd(2.0 / 3)));
  return _mm_add_pd(_mm_mul_pd(exponent, _mm_set1_pd(0.693147180559945)), _mm_mul_pd(t, series));
}

// x - round(x), and 2^round(x) made of an integer
static __m128d fraction(__m128d x) {
  const __m128d Magic = _mm_set1_pd(0x1.8p52);
  __m128d sum = _mm_add_pd(x, Magic);
  __asm__("" : "+x"(sum));
  __m128d whole = _mm_sub_pd(sum, Magic);
  __m128i power = _mm_add_epi64(_mm_castpd_si128(sum), _mm_set1_epi64x(1023));
  return _mm_mul_pd(_mm_sub_pd(x, whole), _mm_castsi128_pd(_mm_slli_epi64(power, 52)));
}

static double functions(const double *x) {
  __m128d a = _mm_loadu_pd(x), b = _mm_mul_pd(a, _mm_loadu_pd(x + 2));
  double out[2];
  _mm_storeu_pd(out, _mm_add_pd(logarithm(b), fraction(_mm_mul_pd(a, _mm_set1_pd(5.3)))));
  return out[0] * out[1];
}

// Instructions written as text.
static double written(const double *x) {
  __m128d a = _mm_loadu_pd(x), b = _mm_loadu_pd(x + 2);
  __asm__("minpd %1, %0" : "+x"(a) : "x"(b));
  __asm__("mulpd %1, %0" : "+x"(a) : "x"(b));
  double out[2];
  _mm_storeu_pd(out, a);
  return out[0] * out[1];
}

// A number and an address of one structure, loaded and stored as two numbers.
struct Term {
  double scale;
  const double *at;
};
union Both {
  struct Term term;
  __m128d lanes;
};

__attribute__((noinline)) static double value(const union Both *both) {
  const __m128d lanes = both->lanes;
  const double *at =
      (const double *)_mm_cvtsi128_si64(_mm_castpd_si128(_mm_unpackhi_pd(lanes, lanes)));
  const double scale = _mm_cvtsd_f64(lanes);
  return scale * scale * at[0] * at[1];
}

__attribute__((noinline)) static void fill(union Both *both, double scale, const double *at) {
  const __m128d high = _mm_castsi128_pd(_mm_cvtsi64_si128((long long)at));
  both->lanes = _mm_unpacklo_pd(_mm_set_sd(scale), high);
}

static double records(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; ++i) {
    union Both loaded, stored;
    loaded.term.scale = 2 * x[i];
    loaded.term.at = x + i;
    fill(&stored, x[i], x + n - 2 - i);
    sum += value(&loaded) * stored.term.scale * stored.term.at[1];
  }
  return sum;
}

static double table(const double *x, int n) {
  union Both terms[8];
  for (int i = 0; i < n; ++i)
    fill(&terms[(3 * i) % n], x[i], x + n - 2 - i / 2);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += terms[i].term.scale * terms[i].term.at[1] * value(&terms[n - 1 - i]);
  return sum;
}
static double copiedRecords(const double *x, int n) {
  union Both terms[8], more[8], next;
  for (int i = 0; i < n; ++i) {
    next.term.scale = x[i];
    next.term.at = x + n - 2 - i / 2;
    terms[(3 * i) % n].lanes = next.lanes;
  }
  for (int i = 0; i < n; ++i)
    more[n - 1 - i].lanes = terms[i].lanes;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += more[i].term.scale * more[i].term.at[1];
  return sum;
}

// Guesses of inverse roots.
static double guesses(const float *x) {
  const __m128 v = _mm_loadu_ps(x);
  const __m128i half = _mm_srai_epi32(_mm_castps_si128(v), 1);
  __m128 root = _mm_castsi128_ps(_mm_sub_epi32(_mm_set1_epi32(0x5f3759df), half));
  root = _mm_mul_ps(root, _mm_sub_ps(_mm_set1_ps(1.5F), _mm_mul_ps(_mm_mul_ps(v, _mm_set1_ps(0.5F)),
                                                                   _mm_mul_ps(root, root))));
  float out[4];
  _mm_storeu_ps(out, root);
  return out[0] * out[1] + out[2] * out[3];
}

/// Pairs change places, as integers of 16 bytes.
static double movedPairs(const double *x, int n) {
  typedef unsigned __int128 __attribute__((aligned(8), may_alias)) Pair;
  double y[8] = {0}, s = 0;
  for (int i = 0; i + 2 <= n; i += 2)
    _mm_storeu_si128((__m128i *)(y + n - 2 - i), _mm_loadu_si128((const __m128i *)(x + i)));
  for (int i = 0; i + 4 <= n; i += 4) {
    const Pair kept = *(Pair *)(y + i);
    *(Pair *)(y + i) = *(Pair *)(y + i + 2);
    *(Pair *)(y + i + 2) = kept;
  }
  for (int i = 0; i < n; i++)
    s += y[i] * y[i] * x[n - 1 - i];
  return s;
}
static float movedFours(const float *x, int n) {
  float y[8] = {0}, s = 0;
  for (int i = 0; i + 4 <= n; i += 4)
    _mm_storeu_si128((__m128i *)(y + n - 4 - i), _mm_loadu_si128((const __m128i *)(x + i)));
  for (int i = 0; i < n; i++)
    s += y[i] * x[i] * (i + 1);
  return s;
}

GRADIENT_CHECK(vector_moved_pairs, Double, movedPairs, In(double, 8), Int(8))
GRADIENT_CHECK(vector_moved_fours, Float, movedFours, In(float, 8), Int(8))
GRADIENT_CHECK(vector_guesses, Double, guesses, InRange(float, 4, 0.5, 0.9))
GRADIENT_CHECK(vector_copies, Double, copiedRecords, In(double, 5), Int(5))
GRADIENT_CHECK(vector_table, Double, table, In(double, 5), Int(5))
GRADIENT_CHECK(vector_records, Double, records, In(double, 5), Int(5))
GRADIENT_CHECK(vector_bits, Double, lanes, In(double, 4), Out(double, 3))
GRADIENT_CHECK(vector_halves, Float, halves, In(float, 6))
GRADIENT_CHECK(vector_functions, Double, functions, In(double, 4))
GRADIENT_CHECK(vector_written, Double, written, In(double, 4))

// Numbers that are loaded, turned and stored as vectors of integers.
static double spread(const double *x, int n) {
  double s = 0, t[2], u[2];
  for (int i = 0; i + 1 < n; i += 2) {
    const __m128i v = _mm_loadu_si128((const __m128i *)(x + i));
    _mm_storeu_si128((__m128i *)t, _mm_shuffle_epi32(v, 0x44));
    _mm_storeu_si128((__m128i *)u, _mm_shuffle_epi32(v, 0xee));
    s += t[0] * u[1] + t[1] * t[0];
  }
  return s;
}
GRADIENT_CHECK(vector_bits_spread, Double, spread, In(double, 6), Int(6))

static float turned(const float *x, int n) {
  float y[16], s = 0;
  for (int i = 0; i + 3 < n; i += 4) {
    const __m128i v = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(x + i)), 0x1b);
    _mm_storeu_si128((__m128i *)(y + i), v);
  }
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i] * (i + 1);
  return s;
}
GRADIENT_CHECK(vector_bits_turned, Float, turned, In(float, 8), Int(8))

static double transposed(const double *x, int n) {
  double y[16], s = 0;
  for (int i = 0; i + 3 < n; i += 4) {
    const __m128i a = _mm_loadu_si128((const __m128i *)(x + i));
    const __m128i b = _mm_loadu_si128((const __m128i *)(x + i + 2));
    _mm_storeu_si128((__m128i *)(y + i), _mm_unpacklo_epi64(a, b));
    _mm_storeu_si128((__m128i *)(y + i + 2), _mm_unpackhi_epi64(a, b));
  }
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i] * (i + 1);
  return s;
}
GRADIENT_CHECK(vector_bits_transposed, Double, transposed, In(double, 8), Int(8))

// Nothing else looks at most of these numbers.
static float besideVectors(const float *x, float *y) {
  const __m128i moved = _mm_loadu_si128((const __m128i *)(x + 4));
  const __m128i made = _mm_castps_si128(_mm_mul_ps(_mm_loadu_ps(x), _mm_set1_ps(2)));
  _mm_storeu_si128((__m128i *)y, _mm_unpackhi_epi32(moved, made));
  _mm_storeu_si128((__m128i *)(y + 4), _mm_setzero_si128());
  _mm_storeu_si128((__m128i *)(y + 8), _mm_set1_epi32(0x3f000000));
  return x[0];
}
// A vector that is stored, of which a lane is stored once more.
static double lanesTwice(const double *x, double *y) {
  _mm_storeu_si128((__m128i *)y, _mm_loadu_si128((const __m128i *)(x + 2)));
  memcpy(y + 2, y + 1, 8);
  y[3] = x[0] * x[1];
  const __m128i numbers = _mm_castpd_si128(_mm_set_pd(0.5, 2)); // folded to four integers
  _mm_storeu_si128((__m128i *)(y + 4), _mm_shuffle_epi32(numbers, 0x4e));
  return y[3];
}
GRADIENT_CHECK(vector_bits_twice, Double, lanesTwice, In(double, 4), InOut(double, 6))
GRADIENT_CHECK(vector_bits_beside, Float, besideVectors, In(float, 8), InOut(float, 12))

/// A mask of constants keeps some of the numbers; with another one the rest comes from elsewhere.
static double masked_words(const double *x, double *y, int n) {
  const __m128i second = _mm_set_epi32(-1, -1, 0, 0);
  for (int i = 0; i + 1 < n; i += 2) {
    const __m128i v = _mm_loadu_si128((const __m128i *)(x + i));
    const __m128i w = _mm_loadu_si128((const __m128i *)(x + n - 2 - i));
    _mm_storeu_si128((__m128i *)(y + i), _mm_and_si128(v, second));
    _mm_storeu_si128((__m128i *)(y + n + i),
                     _mm_or_si128(_mm_and_si128(v, second), _mm_andnot_si128(second, w)));
  }
  return y[1] * y[n];
}
GRADIENT_CHECK(bits_masked_words, Double, masked_words, In(double, 6), Out(double, 12), Int(6))

/// Numbers that move as bytes, in vectors.
typedef unsigned char bytes __attribute__((vector_size(16), aligned(1)));
static double moved_bytes(const double *x, double *y, int n) {
  for (int i = 0; i + 1 < n; i += 2) {
    const bytes v = *(const bytes *)(x + i);
    *(bytes *)(y + i) = v;
    *(bytes *)(y + n + i) =
        __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  }
  return y[1] * y[n];
}
GRADIENT_CHECK(bits_moved_bytes, Double, moved_bytes, In(double, 6), Out(double, 12), Int(6))

/// Wide zeros clear numbers, and only an index says which.
static double cleared(double *x, int n) {
  typedef unsigned __int128 __attribute__((aligned(8), may_alias)) Pair;
  *(bytes *)(x + n / 4) = (bytes){0};
  *(volatile Pair *)(x + n / 2 + 1) = 0;
  *(Pair *)(x + n - 2) = 0;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * x[i] + x[i] * x[0];
  return sum;
}
GRADIENT_CHECK(bits_cleared, Double, cleared, InOut(double, 12), Int(12))
#else
static double nothing(const double *x) { return x[0] * x[1]; }
GRADIENT_CHECK(vector_bits, Double, nothing, In(double, 2))
#endif

#ifdef __x86_64__
// Doubles that move as two floats.
static double moved_as_floats(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    const __m128 v = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(x + i * 3 % n));
    _mm_storel_pi((__m64 *)(y + i), v);
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += y[i] * x[i] * (i + 1);
  return s;
}
GRADIENT_CHECK(moved_as_floats, Double, moved_as_floats, In(double, 8), Out(double, 8), Int(8))

typedef float HalvesOfOne __attribute__((vector_size(8), may_alias));
static __attribute__((noinline)) void put_halves(double *y, HalvesOfOne v) {
  *(HalvesOfOne *)y = v;
}
static double passed_as_floats(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * i;
  put_halves(y + n / 2, (HalvesOfOne){1, 2});
  put_halves(y + 1, (HalvesOfOne){0, (float)n});
  double s = 0;
  for (int i = 0; i < n; i++)
    s += y[i] * x[i];
  return s;
}
GRADIENT_CHECK(passed_as_floats, Double, passed_as_floats, In(double, 8), Out(double, 8), Int(8))
#endif

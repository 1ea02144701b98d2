// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow that no structured statement makes: loops with two entries, computed goto,
// Duff's device, state machines, jumps out of nests and back to cleanup code.
// Supports: loops with two entries, computed `goto`, Duff's device
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>

// The loop is entered at its head or in its middle.
static double twoEntries(const double *x, int n) {
  double a = x[0], b = x[1];
  int i = 0;
  if (x[2] > 1)
    goto middle;
head:
  a = a * x[i % 4] + 0.1 * b;
middle:
  b = b + a * a * 0.2;
  if (++i < n)
    goto head;
  return a * b;
}

// Two loops that jump into each other.
static double tangledLoops(const double *x, int n) {
  double s = 1;
  int i = 0, j = 0;
  if (n & 1)
    goto second;
first:
  s += 0.3 * s * x[i];
  if (++i >= n)
    goto done;
  if (i % 3 == 1)
    goto second;
  goto first;
second:
  s = s * x[j] + 0.5;
  if (++j >= n)
    goto done;
  if (j % 2)
    goto first;
  goto second;
done:
  return s * s;
}

// An interpreter with threaded code.
static double threadedCode(const double *x, int n) {
  static const unsigned char code[] = {0, 1, 2, 1, 3, 0, 2, 4};
  static void *const labels[] = {&&add, &&multiply, &&square, &&negate, &&halt};
  double acc = x[0];
  int pc = 0, k = 0;
  goto *labels[code[pc++]];
add:
  acc += x[k++ % n];
  goto *labels[code[pc++]];
multiply:
  acc *= x[k++ % n];
  goto *labels[code[pc++]];
square:
  acc = acc * acc + 0.1;
  goto *labels[code[pc++]];
negate:
  acc = 1 - acc;
  goto *labels[code[pc++]];
halt:
  return acc;
}

static double programs(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; i++)
    s += threadedCode(x + i, n - i) * x[i];
  return s;
}

// Distances between labels, and a table that is filled at run time.
static double labelDistances(const double *x, int n) {
  static const int distance[] = {&&twice - &&once, &&once - &&once, &&thrice - &&once};
  void *later[2] = {&&done, &&once};
  double s = x[0];
  int i = 0;
next:
  if (i == n)
    goto *later[s < 0];
  goto *(&&once + distance[i++ % 3]);
once:
  s += x[i - 1];
  goto next;
twice:
  s *= 1 + 0.2 * x[i - 1];
  goto next;
thrice:
  s = s * s * 0.3;
  goto next;
done:
  return s * x[1];
}

static double duff(const double *x, int n) {
  double s = 0, w = 1;
  int rounds = (n + 3) / 4, i = 0;
  switch (n % 4) {
  case 0:
    do {
      s += w * x[i] * x[i];
      i++, w *= 0.9;
      __attribute__((fallthrough));
    case 3:
      s += w * x[i];
      i++, w += 0.1 * s;
      __attribute__((fallthrough));
    case 2:
      s += w / x[i];
      i++;
      __attribute__((fallthrough));
    case 1:
      s = s * 0.5 + x[i] * w;
      i++;
    } while (--rounds > 0);
  }
  return s;
}

enum State { Start, Grow, Shrink, Hold, Stop };

static double stateMachine(const double *x, int n) {
  enum State state = Start;
  double level = 0.5, out = 0;
  for (int i = 0; state != Stop; i++) {
    switch (state) {
    case Start:
      level += x[0];
      state = Grow;
      break;
    case Grow:
      level *= 1 + 0.5 * x[i % n];
      state = level > 3 ? Shrink : i > 20 ? Stop : Hold;
      break;
    case Hold:
      level += 0.1 * x[(i * 3) % n] * level;
      state = Grow;
      break;
    case Shrink:
      out += level * x[i % n];
      level /= 4;
      state = i > 12 ? Stop : Hold;
      break;
    case Stop:
      break;
    }
  }
  return out + level;
}

static int leaveNest(const double *x, double *y, int n) {
  int code = 0;
  double *scratch = malloc((size_t)n * sizeof *scratch);
  if (!scratch)
    return -1;
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = 0; j < n; j++) {
      for (int k = 0; k <= j; k++) {
        t += 0.2 * x[k] * x[j];
        if (t > 6) {
          code = 1;
          scratch[i] = t;
          goto next;
        }
      }
      if (j > i + 3)
        goto cleanup;
    }
    scratch[i] = -t;
  next:
    y[i] = scratch[i] * scratch[i];
    continue;
  }
cleanup:
  free(scratch);
  return code;
}
static double leaveNestSum(const double *x, int n) {
  double y[6] = {0}, s = 0;
  int code = leaveNest(x, y, n);
  for (int i = 0; i < n; i++)
    s += y[i] * (code + 1);
  return s;
}

static double switchInLoopContinue(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    switch (i & 3) {
    case 0:
      continue;
    case 1:
      s += x[i];
      break;
    case 2:
      s *= x[i];
      __attribute__((fallthrough));
    default:
      s += x[i] * x[i];
    }
    s *= 1.1;
  }
  return s;
}

static double commaAndTernary(const double *x, int n) {
  double s = 0, t;
  for (int i = 0, j = n - 1; i < j; i++, j--)
    s += (t = x[i] * x[j], t > 1 ? t * t : t > 0.5 ? (s > 1 ? t : -t) : 2 * t);
  return s;
}

// Left and entered again where it was left.
static double protothread(const double *x, int n, int *line, double *value) {
  switch (*line) {
  case 0:
    *value = x[0];
    *line = 1;
    return *value;
  case 1:
    while (*value < 20) {
      *value = *value * (1 + x[1]);
      *line = 2;
      return *value;
    case 2:
      *value += x[n - 1];
    }
  }
  *line = 3;
  return 0;
}
static double resumed(const double *x, int n) {
  int line = 0;
  double value = 0, s = 0;
  while (line != 3)
    s += protothread(x, n, &line, &value) * 0.1;
  return s + value;
}

// A loop whose every exit has its own value.
static double manyExits(const double *x, int n) {
  double a = 1;
  for (int i = 0;; i++) {
    a += x[i % n];
    if (a > 9)
      return a * x[0];
    if (i == 14)
      return a + x[1];
    a *= 1.05;
    if (a * a > 60)
      break;
    if (i % 5 == 4 && a > 7)
      return a * a;
  }
  return -a * x[2];
}

// A block that leads to both entries of one loop.
static double chosenEntries(const double *x, int n) {
  double *work = malloc((size_t)(n + 1) * sizeof(double)), a = x[0], b = x[1], step = 0.5;
  int i = 0, k;
  for (k = 0; k <= n; ++k)
    work[k] = x[k % n];
  if (x[2] > 1) {
    for (k = 0; k < n; ++k)
      b += 0.1 * work[k] * step;
    goto second;
  }
first:
  a = a * step + 0.1 * sin(b + work[i]);
  work[i] = a;
next:
  if (++i >= n)
    goto done;
  step = 0.3 + 0.1 * work[i];
  if (x[i % 4] > 1)
    goto second;
  goto first;
second:
  for (k = 0; k < n; ++k)
    b = b * step + 0.2 * a * work[k];
  work[i] += b;
  if (b > 1.2)
    goto first;
  goto next;
done:
  b *= work[n - 1];
  free(work);
  return a * b;
}

GRADIENT_CHECK(irregular_chosen_entries, Double, chosenEntries, In(double, 5), Int(5))
GRADIENT_CHECK(irregular_two_entries, Double, twoEntries, In(double, 4), Int(6))
GRADIENT_CHECK(irregular_tangled, Double, tangledLoops, In(double, 7), Int(7))
GRADIENT_CHECK(irregular_tangled_even, Double, tangledLoops, In(double, 6), Int(6))
GRADIENT_CHECK(irregular_threaded_code, Double, threadedCode, In(double, 5), Int(5))
GRADIENT_CHECK(irregular_programs, Double, programs, In(double, 5), Int(5))
GRADIENT_CHECK(irregular_label_distances, Double, labelDistances, In(double, 7), Int(7))
GRADIENT_CHECK(irregular_duff, Double, duff, In(double, 11), Int(11))
GRADIENT_CHECK(irregular_state_machine, Double, stateMachine, In(double, 5), Int(5))
GRADIENT_CHECK(irregular_leave_nest, Double, leaveNestSum, In(double, 6), Int(6))
GRADIENT_CHECK(irregular_switch_continue, Double, switchInLoopContinue, In(double, 9), Int(9))
GRADIENT_CHECK(irregular_ternaries, Double, commaAndTernary, In(double, 10), Int(10))
GRADIENT_CHECK(irregular_resumed, Double, resumed, In(double, 3), Int(3))
GRADIENT_CHECK(irregular_many_exits, Double, manyExits, In(double, 4), Int(4))

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are text for a while, whose characters the program copies or reads itself, that go
// through variables of the environment, or whose bits are printed. Text that is only written, or
// comes from elsewhere, is constant.
//
// RUN: %not %clang -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
//
// CHECK-COUNT-14: [CF216]
// CHECK: 14 errors generated

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

void __enzyme_autodiff(void *, ...);

static double copied(const double *x) {
  char text[64], value[64];
  int n = 0;
  snprintf(text, sizeof text, "v=%.17g;", x[0] * x[1]);
  for (const char *p = strchr(text, '=') + 1; *p != ';'; p++)
    value[n++] = *p;
  value[n] = 0;
  return atof(value) * x[2];
}
static double raised(const double *x) {
  char text[64];
  snprintf(text, sizeof text, "%.17e", x[0] * x[1]);
  for (char *p = text; *p; p++)
    *p = (char)toupper(*p);
  return atof(text) * x[2];
}
static double spelled(const double *x) {
  char text[64];
  double value = 0, scale = 1;
  int behind = 0;
  snprintf(text, sizeof text, "%.17f", x[0] * x[1]);
  for (const char *p = text; *p; p++) {
    if (*p == '.') {
      behind = 1;
      continue;
    }
    value = value * 10 + (*p - '0');
    scale *= behind ? 10 : 1;
  }
  return value / scale * x[2];
}
static double spelledInFloats(const double *x) {
  char text[64];
  double value = 0;
  snprintf(text, sizeof text, "%.0f", 1e9 * x[0] * x[1]);
  for (const char *p = text; *p; p++)
    value = value * 10 + *p - '0';
  return value * 1e-9 * x[2];
}
static double fixed(const double *x) {
  char text[64];
  snprintf(text, sizeof text, "%.0f", x[0] * x[1] * 1e9);
  return (double)strtol(text, NULL, 10) * 1e-9 * x[2];
}
static double scanned(const double *x) {
  char text[64];
  int whole = 0, part = 0;
  snprintf(text, sizeof text, "%.6f", x[0] * x[1]);
  sscanf(text, "%d.%d", &whole, &part);
  return (whole + part * 1e-6) * x[2];
}
static double hexadecimal(const double *x) {
  char text[64];
  uint64_t bits;
  double y = x[0] * x[1];
  memcpy(&bits, &y, sizeof bits);
  snprintf(text, sizeof text, "%llx", (unsigned long long)bits);
  bits = strtoull(text, NULL, 16);
  memcpy(&y, &bits, sizeof y);
  return y * x[2];
}
static double inEnvironment(const double *x) {
  char text[64];
  snprintf(text, sizeof text, "%.17g", x[0] * x[1]);
  setenv("SCALE", text, 1);
  const char *value = getenv("SCALE");
  return value ? atof(value) * x[2] : 0;
}
static double putIntoEnvironment(const double *x) {
  static char text[64];
  snprintf(text, sizeof text, "SCALE=%.17g", x[0] * x[1]);
  putenv(text);
  return atof(getenv("SCALE")) * x[2];
}
static double oneByOne(const double *x) {
  char text[64];
  double y;
  FILE *file = tmpfile();
  snprintf(text, sizeof text, "%.17g", x[0] * x[1]);
  for (const char *p = text; *p; p++)
    fputc(*p, file);
  rewind(file);
  return fscanf(file, "%lf", &y) * y * x[2];
}
static double wordByWord(const double *x) {
  char text[64];
  int c, n = 0;
  FILE *file = tmpfile();
  fprintf(file, "%.17g ", x[0] * x[1]);
  rewind(file);
  while ((c = fgetc(file)) > ' ')
    text[n++] = c;
  text[n] = 0;
  return atof(text) * x[2];
}
static double upperCase(const double *x) {
  char text[64] = "";
  FILE *file = tmpfile();
  fprintf(file, "%a", x[0] * x[1]);
  rewind(file);
  for (int i = 0; i < 63; i++)
    text[i] = (char)toupper(getc(file));
  return strtod(text, NULL) * x[2];
}
static double wide(const double *x) {
  double y[4];
  wmemcpy((wchar_t *)y, (const wchar_t *)x, sizeof y / sizeof(wchar_t));
  return y[0] * y[1] * x[2];
}

struct Named {
  char name[32];
  double value;
  _Bool isUsed;
  int weight;
};
static double labelled(const double *x) {
  struct Named all[3];
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    all[i] = (struct Named){"", x[i] * x[i], i != 1, i};
    snprintf(all[i].name, sizeof all[i].name, "x[%d] = %g", i, all[i].value);
  }
  for (int i = 0; i < 3; i++)
    if (all[i].name[0] == 'x')
      sum += all[i].value * all[i].weight + all[i].isUsed * x[i];
  return sum;
}
static double configured(const double *x) {
  char text[64], line[] = "25";
  double scale = 0;
  snprintf(text, sizeof text, "%g", x[0]);
  puts(text);
  for (const char *p = line; *p; p++)
    scale = scale * 10 + (*p - '0');
  const char *value = getenv("SCALE");
  setenv("LAST", text, 1);
  return scale * x[0] * (value ? atof(value) : 1) * (double)strtol("3", NULL, 10);
}
void ask(double *x, double *xb) {
  __enzyme_autodiff((void *)copied, x, xb);
  __enzyme_autodiff((void *)raised, x, xb);
  __enzyme_autodiff((void *)spelled, x, xb);
  __enzyme_autodiff((void *)spelledInFloats, x, xb);
  __enzyme_autodiff((void *)fixed, x, xb);
  __enzyme_autodiff((void *)scanned, x, xb);
  __enzyme_autodiff((void *)hexadecimal, x, xb);
  __enzyme_autodiff((void *)inEnvironment, x, xb);
  __enzyme_autodiff((void *)putIntoEnvironment, x, xb);
  __enzyme_autodiff((void *)oneByOne, x, xb);
  __enzyme_autodiff((void *)wordByWord, x, xb);
  __enzyme_autodiff((void *)upperCase, x, xb);
  __enzyme_autodiff((void *)wide, x, xb);
  __enzyme_autodiff((void *)labelled, x, xb);
  __enzyme_autodiff((void *)configured, x, xb);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of one array are indices at some times and addresses, or numbers, at others. They are
// moved as integers, chosen and handed on, before anybody says which they are.
// Supports: words that are an index or an address
#include "GradientCheck.h"
#include <cstdint>
#include <cstring>

namespace {

using Word = std::uint64_t;

template <class T> Word wordOf(T value) {
  Word word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

template <class T> T from(Word word) {
  T value;
  std::memcpy(&value, &word, sizeof word);
  return value;
}

double two_kinds(const double *x, int n) {
  Word *words = new Word[8];
  double table[8];
  for (int i = 0; i < 8; ++i) {
    table[i] = x[i % n] * i;
    words[i] = i % 2 ? Word(i) : wordOf(&table[i]);
  }
  double s = 0;
  for (int i = 0; i < 8; ++i) {
    const Word word = words[i];
    s += (i % 2 ? table[word] : *from<double *>(word)) * x[0];
  }
  delete[] words;
  return s;
}

__attribute__((noinline)) double looked_up(const double *table, Word word, bool is_index) {
  return is_index ? table[word] : *from<const double *>(word);
}

double chosen(const double *x, int n) {
  Word *words = new Word[8];
  double table[8];
  for (int i = 0; i < 8; ++i) {
    table[i] = x[i % n] * x[0];
    words[i] = i % 2 ? Word(i) : wordOf(&table[i]);
  }
  double s = 0;
  for (int i = 0; i < 6; ++i) {
    const Word word = s > 2 ? words[i] : words[i + 2];
    s += looked_up(table, word, i % 2) * (i % 2 ? table[word] : *from<double *>(word));
  }
  delete[] words;
  return s;
}

double in_bytes(const double *x, int n) {
  Word *words = new Word[8];
  double table[8];
  for (int i = 0; i < 8; ++i) {
    table[i] = x[i % n] * i;
    words[i] = i % 2 ? Word(i * sizeof(double)) : wordOf(&table[i]);
  }
  double s = 0;
  for (int i = 0; i < 8; ++i) {
    const Word word = words[(i + 2) % 8];
    s += (i % 2 ? *reinterpret_cast<double *>(reinterpret_cast<char *>(table) + word)
                : *from<double *>(word)) *
         x[0];
  }
  delete[] words;
  return s;
}

double three_kinds(const double *x, int n) {
  Word *words = new Word[16];
  double table[8], s = 0;
  for (int i = 0; i < 8; ++i)
    table[i] = x[i % n] * i;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) {
      const int kind = (i + round) % 3;
      const Word word = kind == 0 ? wordOf(x[i % n] * table[i]) : kind == 1 ? i : wordOf(&table[i]);
      words[8 + (i + round) % 8] = words[i] = word;
    }
    for (int i = 0; i < 8; ++i) {
      const Word word = words[8 + i];
      switch (((i - round + 8) % 8 + round) % 3) {
      case 0:
        s += from<double>(word) * from<double>(word);
        break;
      case 1:
        s += table[word];
        break;
      default:
        s += *from<double *>(word) * x[0];
        *from<double *>(word) *= 1.1;
      }
    }
  }
  delete[] words;
  return s;
}

} // namespace

GRADIENT_CHECK(indices_two_kinds, Double, two_kinds, In(double, 5), Int(5))
GRADIENT_CHECK(indices_chosen, Double, chosen, In(double, 5), Int(5))
GRADIENT_CHECK(indices_in_bytes, Double, in_bytes, In(double, 5), Int(5))
GRADIENT_CHECK(indices_three_kinds, Double, three_kinds, In(double, 5), Int(5))

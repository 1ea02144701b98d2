// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the first call of a split tangent has read, in the order in which it was read; the second
// one does the same again and reads it here:
//
//   open(tape)    f64(x) i64(n) bytes(p, 24)         close
//   rewind        next(8) next(8) next(24)           close
//
// A log is a chain of blocks on a tape. Entries are rounded up to 8 bytes, so that both walks find
// the same places.

#include "contraflow/abi.h"

#include "support/Fail.h"
#include "tape/Arena.h"

#include <algorithm>
#include <cstring>

using namespace contraflow;

namespace {

struct alignas(16) Block {
  Block *Next = nullptr;
  int64_t Bytes = 0;
  char *begin() { return reinterpret_cast<char *>(this + 1); }
};

struct Log {
  Arena *Tape = nullptr;
  const void *Owner = nullptr;
  Block *First = nullptr, *Current = nullptr;
  char *At = nullptr;
  int64_t Written = 0, Read = 0; ///< bytes of entries
  const char *Complaint = nullptr;
  Log *Outer = nullptr; ///< of the thread, before this one
  bool Reading = false;
};

constexpr int64_t EntryBytes = 8;
constexpr int64_t FirstBlockBytes = int64_t{1} << 9, LargestBlockBytes = int64_t{1} << 20;

thread_local Log *CurrentLog = nullptr;

int64_t rounded(int64_t Bytes) { return (Bytes + EntryBytes - 1) / EntryBytes * EntryBytes; }

Block *newBlock(Log &L, int64_t Bytes) {
  const int64_t Usual =
      L.Current ? std::min(L.Current->Bytes * 2, LargestBlockBytes) : FirstBlockBytes;
  const int64_t Size = std::max(Usual, Bytes);
  auto *New = new (L.Tape->reserve(Size + int64_t{sizeof(Block)})) Block;
  New->Bytes = Size;
  (L.Current ? L.Current->Next : L.First) = New;
  return New;
}

void enter(Log &L, Block *B) {
  L.Current = B;
  L.At = B ? B->begin() : nullptr;
}

void *next(Log &L, int64_t Bytes) {
  (L.Reading ? L.Read : L.Written) += Bytes;
  if (L.Reading && L.Read > L.Written)
    cf_v1_fail(L.Complaint);
  if (!L.Current || L.Current->begin() + L.Current->Bytes - L.At < Bytes) {
    Block *Known = L.Current ? L.Current->Next : L.First;
    enter(L, L.Reading ? Known : newBlock(L, Bytes));
    if (!L.Current || L.Current->Bytes < Bytes)
      cf_v1_fail(L.Complaint);
  }
  void *Entry = L.At;
  L.At += Bytes;
  return Entry;
}

} // namespace

void *cf_v1_log_open(cf_tape *tape, const void *owner) {
  auto *L = new (Arena::of(tape)->reserve(sizeof(Log))) Log;
  L->Tape = Arena::of(tape);
  L->Owner = owner;
  L->Outer = CurrentLog;
  CurrentLog = L;
  return L;
}

void cf_v1_log_rewind(void *log, const void *owner, const char *complaint) {
  auto *L = static_cast<Log *>(log);
  if (!L || L->Owner != owner)
    cf_v1_fail(complaint);
  L->Complaint = complaint;
  L->Reading = true;
  L->Read = 0;
  enter(*L, nullptr);
  L->Outer = CurrentLog;
  CurrentLog = L;
}

void cf_v1_log_close(void *log) {
  auto *L = static_cast<Log *>(log);
  CurrentLog = L->Outer;
  if (L->Reading && L->Read != L->Written)
    cf_v1_fail(L->Complaint);
}

void *cf_v1_log_next(int64_t bytes) {
  if (!CurrentLog)
    fail(ErrorId::Internal, "there is no log of what was read");
  return next(*CurrentLog, rounded(bytes));
}

void cf_v1_log_f64(double value) {
  std::memcpy(cf_v1_log_next(sizeof value), &value, sizeof value);
}
void cf_v1_log_f32(float value) { std::memcpy(cf_v1_log_next(sizeof value), &value, sizeof value); }
void cf_v1_log_i64(int64_t value) {
  std::memcpy(cf_v1_log_next(sizeof value), &value, sizeof value);
}

void cf_v1_log_bytes(const void *from, int64_t bytes) {
  void *To = cf_v1_log_next(bytes);
  if (bytes > 0)
    std::memcpy(To, from, static_cast<size_t>(bytes));
}

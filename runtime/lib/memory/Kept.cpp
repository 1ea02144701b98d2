// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "memory/Kept.h"

#include "contraflow/abi.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>

namespace contraflow {
namespace {

struct Region {
  int64_t Bytes, Period;
  const struct cf_field *Fields;
  int32_t NumFields;
};

using Regions = std::unordered_map<void *, Region>;

struct Table {
  std::mutex Lock;
  std::unordered_map<const void *, Regions> Owners;
  std::atomic<std::size_t> Size = 0;
};

// Never destroyed: destructors of the program's objects may still free what is kept.
Table &table() {
  static auto &T = *new Table;
  return T;
}

} // namespace

bool forgetKept(void *Shadow) {
  Table &T = table();
  if (T.Size.load(std::memory_order_relaxed) == 0)
    return false;
  const std::scoped_lock Guard(T.Lock);
  for (auto &[Owner, Kept] : T.Owners)
    if (Kept.erase(Shadow) != 0) {
      T.Size.fetch_sub(1, std::memory_order_relaxed);
      return true;
    }
  return false;
}

} // namespace contraflow

using namespace contraflow;

void cf_v1_keep_shadow(void *shadow, int64_t bytes, const void *owner, int64_t period,
                       const struct cf_field *fields, int32_t nfields) {
  if (!shadow)
    return;
  Table &T = table();
  const std::scoped_lock Guard(T.Lock);
  if (T.Owners[owner].insert_or_assign(shadow, Region{bytes, period, fields, nfields}).second)
    T.Size.fetch_add(1, std::memory_order_relaxed);
}

void cf_v1_forget_kept(void *shadow) { forgetKept(shadow); }

void cf_v1_clear_kept(const void *owner) {
  Table &T = table();
  if (T.Size.load(std::memory_order_relaxed) == 0)
    return;
  const std::scoped_lock Guard(T.Lock);
  for (auto &[Shadow, R] : T.Owners[owner])
    cf_v1_copy_fields_adjoint(Shadow, nullptr, R.Bytes, 0, R.Period, R.Fields, R.NumFields);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frees are observed by counting: this program replaces operator delete, and address reuse by
// malloc shows what free did (leaks and double frees themselves are what the asan preset looks
// for).

#include "contraflow/abi.h"

#include "memory/AddressTable.h"
#include "memory/DeferredFree.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <map>
#include <new>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {
void *Watched = nullptr;
std::atomic<int> Deleted = 0;
std::atomic<int> DeletedArrays = 0;
} // namespace

// ThreadSanitizer brings its own and does not let them be replaced.
#if !__has_feature(thread_sanitizer)
constexpr bool CountsDeletes = true;

void operator delete(void *Object) noexcept {
  Deleted += Object && Object == Watched;
  std::free(Object);
}
void operator delete[](void *Object) noexcept {
  DeletedArrays += Object && Object == Watched;
  std::free(Object);
}
void operator delete(void *Object, size_t) noexcept { operator delete(Object); }
void operator delete[](void *Object, size_t) noexcept { operator delete[](Object); }
void *operator new(size_t Bytes) {
  void *Object = std::malloc(Bytes);
  return Object ? Object : throw std::bad_alloc();
}
void *operator new[](size_t Bytes) { return operator new(Bytes); }
#else
constexpr bool CountsDeletes = false;
#endif

namespace {
class CountedFree : public testing::Test {
protected:
  void SetUp() override {
    if (!CountsDeletes)
      GTEST_SKIP() << "operator delete cannot be replaced here";
    Deleted = DeletedArrays = 0;
  }
};
} // namespace

using contraflow::deferredFrees;

TEST(AddressTable, HoldsWhatAMapHolds) {
  contraflow::AddressTable<int> Table;
  std::map<char *, int> Known;
  std::vector<char> Memory(1 << 13);
  std::mt19937 Random(7);
  for (int Step = 0; Step < 200000; ++Step) {
    // Few and many addresses in turn; each fourth and eighth byte, as a heap hands them out.
    const size_t Room = Step / 20000 % 2 ? 64 : Memory.size();
    char *Address = Memory.data() + Random() % Room / 4 * 4;
    const auto Found = Known.find(Address);
    ASSERT_EQ(Table.contains(Address), Found != Known.end());
    if (Random() % 2) {
      ASSERT_EQ(Table.insert(Address, Step), Found == Known.end());
      Known.try_emplace(Address, Step);
      continue;
    }
    const std::optional<int> Taken = Table.take(Address);
    ASSERT_EQ(Taken.has_value(), Found != Known.end());
    if (Taken) {
      ASSERT_EQ(*Taken, Found->second);
      Known.erase(Found);
    }
  }
  size_t Count = 0;
  Table.each([&](void *Address, int What) {
    ++Count;
    EXPECT_EQ(Known.at(static_cast<char *>(Address)), What);
  });
  EXPECT_EQ(Count, Known.size());
}

TEST(Shadow, IsZeroedAndWritable) {
  for (const int64_t Bytes : {1, 7, 100, 100'000, 10'000'000}) {
    void *Primal = std::malloc(static_cast<size_t>(Bytes));
    auto *Shadow = static_cast<char *>(cf_v1_shadow_alloc(Primal, Bytes));
    EXPECT_TRUE(std::all_of(Shadow, Shadow + Bytes, [](char C) { return C == 0; }));
    std::fill(Shadow, Shadow + Bytes, '\1');
    std::free(Shadow);
    std::free(Primal);
  }
}

TEST(Shadow, IsAlignedAsTheObject) {
  for (size_t Alignment = 16; Alignment <= 4096; Alignment *= 2) {
    void *Primal = std::aligned_alloc(Alignment, 2 * Alignment);
    const auto Bytes = static_cast<int64_t>(2 * Alignment);
    auto *Shadow = static_cast<char *>(cf_v1_shadow_alloc(Primal, Bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(Shadow) % Alignment, 0U);
    EXPECT_TRUE(std::all_of(Shadow, Shadow + Bytes, [](char C) { return C == 0; }));
    std::free(Shadow);
    std::free(Primal);
  }
}

TEST(Shadow, FailedAllocationHasNone) { EXPECT_EQ(cf_v1_shadow_alloc(nullptr, 100), nullptr); }

TEST(Shadow, EmptyObjectHasOne) {
  void *Primal = std::malloc(0);
  void *Shadow = cf_v1_shadow_alloc(Primal, 0);
  EXPECT_NE(Shadow, nullptr);
  std::free(Shadow);
  std::free(Primal);
}

TEST_F(CountedFree, NothingIsFreedBeforeTheReverseOfTheAllocation) {
  Watched = ::operator new(64);
  auto *Shadow = static_cast<double *>(cf_v1_shadow_alloc(Watched, 64));
  const int64_t Before = deferredFrees();
  cf_v1_free_deferred(Watched, Shadow, 1);
  EXPECT_EQ(Deleted, 0);
  EXPECT_EQ(deferredFrees(), Before + 1);
  *static_cast<double *>(Watched) = Shadow[7] = 1;
  cf_v1_alloc_reverse(Watched, Shadow);
  EXPECT_EQ(Deleted, 1);
}

TEST_F(CountedFree, FreesByTheFunctionThatWasUsed) {
  for (const int32_t How : {0, 1, 2}) {
    Deleted = DeletedArrays = 0;
    Watched = How == 0 ? std::malloc(64) : How == 1 ? ::operator new(64) : ::operator new[](64);
    const int64_t Before = deferredFrees();
    void *Shadow = cf_v1_shadow_alloc(Watched, 64);
    cf_v1_free_deferred(Watched, Shadow, How);
    EXPECT_EQ(deferredFrees(), Before + 1);
    cf_v1_alloc_reverse(Watched, Shadow);
    EXPECT_EQ(deferredFrees(), Before);
    EXPECT_EQ(Deleted, How == 1);
    EXPECT_EQ(DeletedArrays, How == 2);
  }
}

TEST(DeferredFree, ShadowIsFreedToo) {
  if (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
    GTEST_SKIP() << "freed memory is kept back here";
  constexpr int64_t Bytes = INT64_C(64) << 20; // malloc returns blocks of this size to the system
  const size_t Before = mallinfo2().hblkhd;
  void *Primal = std::malloc(8);
  void *Shadow = cf_v1_shadow_alloc(Primal, Bytes);
  EXPECT_GE(mallinfo2().hblkhd, Before + Bytes);
  cf_v1_free_deferred(Primal, Shadow, 0);
  EXPECT_GE(mallinfo2().hblkhd, Before + Bytes);
  cf_v1_alloc_reverse(Primal, Shadow);
  EXPECT_EQ(mallinfo2().hblkhd, Before);
}

TEST(DeferredFree, WhatWasNotFreedStays) {
  auto *Primal = static_cast<double *>(std::malloc(8));
  auto *Shadow = static_cast<double *>(cf_v1_shadow_alloc(Primal, 8));
  *Primal = 2;
  *Shadow = 3;
  cf_v1_alloc_reverse(Primal, Shadow);
  EXPECT_EQ(*Primal, 2);
  EXPECT_EQ(*Shadow, 3);
  std::free(Primal);
  std::free(Shadow);
}

struct KeptNode {
  KeptNode *Next;
  double Value;
};

class Kept : public testing::Test {
protected:
  // A variable that leads to nodes: struct { KeptNode *Next; }, and its shadow.
  void begin(const void *Owner) {
    static const cf_member Link[] = {{0, 3, 1, 0}}, Node[] = {{0, 3, 1, 0}, {8, 1, -1, 0}};
    static const cf_shape Shapes[] = {{8, Link, 1, 1, 1, 0}, {16, Node, 1, 2, 1, 3}};
    cf_v1_kept_root(&Head, &HeadShadow, sizeof Head, 0, 0);
    cf_v1_kept_begin(Owner, Shapes);
  }
  static KeptNode *make(KeptNode *Next) {
    auto *Node = static_cast<KeptNode *>(std::malloc(sizeof(KeptNode)));
    *Node = {Next, 1.0};
    return Node;
  }
  static void give(KeptNode *Node) {
    cf_v1_drop_block(Node);
    std::free(Node);
  }
  KeptNode *Head = nullptr, *HeadShadow = nullptr;
  char First = 0, Second = 0;
};

TEST_F(Kept, BlocksOfTheProgramGetShadows) {
  KeptNode *Last = make(nullptr);
  Head = make(Last);
  begin(&First);
  EXPECT_EQ(HeadShadow, nullptr); // nobody said that there are such blocks
  cf_v1_note_block(Last, sizeof *Last);
  cf_v1_note_block(Head, sizeof *Head);
  begin(&First);
  ASSERT_NE(HeadShadow, nullptr);
  ASSERT_NE(HeadShadow->Next, nullptr);
  EXPECT_EQ(HeadShadow->Next->Next, nullptr);
  KeptNode *OfFirst = HeadShadow;
  begin(&Second);
  EXPECT_NE(HeadShadow, OfFirst);
  begin(&First);
  EXPECT_EQ(HeadShadow, OfFirst);
  give(Last);
  give(Head);
}

TEST_F(Kept, TheNextCallFindsWhatTheProgramHoldsThen) {
  Head = make(nullptr);
  auto *Shadow = static_cast<KeptNode *>(cf_v1_shadow_alloc(Head, sizeof *Head));
  cf_v1_alloc_reverse_kept(Head, Shadow, sizeof *Head, &First);
  HeadShadow = Shadow;
  Shadow->Value = 3.0;
  begin(&First);
  EXPECT_EQ(HeadShadow, Shadow);
  EXPECT_EQ(Shadow->Value, 0.0);
  KeptNode *Other = make(nullptr);
  std::swap(Head, Other);
  begin(&First);
  EXPECT_EQ(HeadShadow, nullptr);
  std::swap(Head, Other);
  begin(&First);
  EXPECT_EQ(HeadShadow, Shadow);
  give(Head);
  Head = Other;
  begin(&First);
  EXPECT_EQ(HeadShadow, nullptr);
  std::free(Other);
}

TEST_F(Kept, ARepeatedReverseSweepKeepsOnce) {
  Head = make(nullptr);
  void *Shadow = cf_v1_shadow_alloc(Head, sizeof *Head);
  cf_v1_alloc_reverse_kept(Head, Shadow, sizeof *Head, &First);
  cf_v1_alloc_reverse_kept(Head, Shadow, sizeof *Head, &First);
  begin(&First);
  EXPECT_EQ(HeadShadow, Shadow);
  give(Head);
}

TEST(DeferredFree, NullIsFreedFreely) {
  const int64_t Before = deferredFrees();
  cf_v1_free_deferred(nullptr, nullptr, 0);
  cf_v1_alloc_reverse(nullptr, nullptr);
  EXPECT_EQ(deferredFrees(), Before);
}

TEST_F(CountedFree, ObjectOfTheCallerIsFreedWhenTheCallEnds) {
  Watched = ::operator new(64);
  auto *Shadow = static_cast<double *>(std::calloc(8, sizeof(double)));
  cf_tape *Tape = cf_v1_tape_begin();
  cf_tape *Inner = cf_v1_tape_begin();
  cf_v1_free_deferred(Watched, Shadow, 1);
  cf_v1_tape_end(Inner);
  EXPECT_EQ(Deleted, 0);
  cf_v1_tape_end(Tape);
  EXPECT_EQ(Deleted, 1);
  Shadow[7] = 1; // the caller's shadow holds the caller's derivatives
  std::free(Shadow);
}

TEST_F(CountedFree, SparedObjectOfTheCallerStays) {
  Watched = ::operator new(64);
  for (int Direction = 0; Direction < 2; ++Direction) {
    cf_tape *Tape = cf_v1_tape_begin();
    cf_v1_free_deferred(Watched, nullptr, 1);
    cf_v1_free_spared(Watched);
    cf_v1_free_spared(nullptr);
    cf_v1_tape_end(Tape);
    EXPECT_EQ(Deleted, 0);
  }
  cf_tape *Tape = cf_v1_tape_begin();
  cf_v1_free_deferred(Watched, nullptr, 1);
  cf_v1_free_spared(Watched);
  cf_v1_alloc_reverse(Watched, nullptr);
  EXPECT_EQ(Deleted, 1);
  cf_v1_tape_end(Tape);
}

TEST_F(CountedFree, CallsOfOtherThreadsKeepTheirs) {
  Watched = ::operator new(64);
  cf_tape *Tape = cf_v1_tape_begin();
  void *Shadow = cf_v1_shadow_alloc(Watched, 64);
  cf_v1_free_deferred(Watched, Shadow, 1);
  std::jthread([] { cf_v1_tape_end(cf_v1_tape_begin()); }).join();
  EXPECT_EQ(Deleted, 0);
  cf_v1_alloc_reverse(Watched, Shadow);
  EXPECT_EQ(Deleted, 1);
  cf_v1_tape_end(Tape);
}

TEST(DeferredFree, ManyThreadsAtOnce) {
  const int64_t Before = deferredFrees();
  {
    std::vector<std::jthread> Threads;
    for (int T = 0; T < 4; ++T)
      Threads.emplace_back([] {
        std::vector<std::pair<void *, void *>> Objects;
        for (int I = 0; I < 500; ++I) {
          void *Primal = std::malloc(48);
          Objects.emplace_back(Primal, cf_v1_shadow_alloc(Primal, 48));
          cf_v1_free_deferred(Primal, Objects.back().second, 0);
        }
        for (const auto &[Primal, Shadow] : Objects)
          cf_v1_alloc_reverse(Primal, Shadow);
      });
  }
  EXPECT_EQ(deferredFrees(), Before);
}

TEST(DeferredFreeDeathTest, FreedTwice) {
  const auto Die = [] {
    void *Primal = std::malloc(8);
    cf_v1_free_deferred(Primal, nullptr, 0);
    cf_v1_free_deferred(Primal, nullptr, 0);
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT),
              "CF306. the object at 0x[0-9a-f]+ is freed twice");
}
